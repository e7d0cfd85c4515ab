/** Work that is to end daemons, work with a hostile MCP server, and a disk that is slow at times, beside the ordinary work of the soak. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../src/store/sql/database.ts';
import { runAnimus, type Site } from '../support/daemon-process.ts';
import { SHAPES } from '../support/mcp/shaped-server.mjs';
import { type AnthropicAnswer, text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, messagesOf } from '../support/model-server/either-wire.ts';

export const POISON = 'poison';
export const STRANGER = 'stranger';
const SERVER = new URL('../support/mcp/shaped-server.mjs', import.meta.url).pathname;

/** To be preloaded into the daemons (NODE_OPTIONS): the command of poison blocks their event loop for ever. */
export const PRELOAD = `--import=${new URL('../support/blocked-loop.mjs', import.meta.url).href}`;
/** The parent of a command is the supervisor of the daemon. */
const BITE = 'kill -USR2 $(ps -o ppid= -p $PPID); sleep 60';

/** Writes the faculties, and pins the tool of the hostile server. */
export async function writeHazards(site: Site): Promise<void> {
  const write = (name: string, rule: string, engage: string, rest = '') =>
    writeFileSync(
      join(site.directory, 'faculties', `${name}.toml`),
      `[faculty]\nname = "${name}"\n[faculty.permissions]\n${rule} = "auto"\n[faculty.engage]\nmodel = "${MODEL}"\n` +
        `system_prompt = "You are ${name}."\n${engage}[faculty.recover]\nbase_seconds = 0.1\nmax_seconds = 1\n${rest}`,
    );
  write(POISON, 'bash', 'tools = ["bash"]\nbash_isolation = "none"\n');
  const command = `command = "${process.execPath}"\nargs = ["${SERVER}"]\ntools = ["send"]\nidempotent = ["send"]\n`;
  // Many may hold it when a daemon ends.
  write(STRANGER, '"mcp_shaped_*"', '', `max_attempts = 100\n[faculty.mcp.shaped]\n${command}`);
  const { exit, stdout, stderr } = await runAnimus(site, ['faculty', 'check', STRANGER, '--pin']);
  if (exit !== 0) throw new Error(`faculty check ${STRANGER} --pin exited with ${exit}:\n${stdout}${stderr}`);
}

/** Null: the request is for other work. */
export function hazardAnswer(body: Readonly<Record<string, unknown>>): AnthropicAnswer | null {
  const system = JSON.stringify(body['system'] ?? '');
  const turn = messagesOf(body).filter(({ role }) => role === 'assistant').length;
  if (system.includes(`You are ${POISON}.`)) return { content: [toolUse(`bite-${turn}`, 'bash', { command: BITE })] };
  if (!system.includes(`You are ${STRANGER}.`)) return null;
  const shape = SHAPES[Math.floor(Math.random() * SHAPES.length)];
  return { content: turn < 3 ? [toolUse(`send-${turn}`, 'mcp_shaped_send', { shape })] : [text('Sent.')] };
}

/** Every transaction that writes a turn or an item sleeps when it commits, with all its locks, for as long as `slow_disk` says. */
export async function prepareSlowDisk(db: Database): Promise<void> {
  await db.query('create table slow_disk (seconds float8 not null)');
  await db.query('insert into slow_disk values (0)');
  await db.query(`
    create function commit_slowly() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      if current_setting('slow.done', true) is distinct from pg_current_xact_id()::text then
        perform set_config('slow.done', pg_current_xact_id()::text, true);
        perform pg_sleep(seconds) from slow_disk where seconds > 0;
      end if;
      return null;
    end $$`);
  for (const [table, events] of [
    ['turns', 'insert or update'],
    ['work_items', 'update'],
  ])
    await db.query(`create constraint trigger slow after ${events} on animus.${table} deferrable initially deferred
                      for each row execute function commit_slowly()`);
}

/** What is wrong about the hazards afterwards. */
export async function wrongHazards(db: Database): Promise<string[]> {
  const rows = await db.query<{ id: string; faculty: string; state: string; code: string | null }>(
    `select id, faculty, state, error ->> 'code' as code from animus.work_items where faculty in ($1, $2) and resolved_at is not null`,
    [POISON, STRANGER],
  );
  return rows
    .filter(({ faculty, state, code }) => (faculty === POISON ? code !== 'work.poison' : state !== 'completed'))
    .map(({ id, faculty, state, code }) => `${id} is ${faculty} and ended as ${state} (${code})`);
}
