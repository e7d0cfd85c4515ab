import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeSite, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { type AnthropicProgramme, text, toolUse } from '../support/model-server/anthropic.ts';
import { startBatchServer } from '../support/model-server/batch-server.ts';
import { MODEL, messagesOf, startModelServer } from '../support/model-server/either-wire.ts';
import type { ModelServer } from '../support/model-server/server.ts';
import { type Choose, type Kill, moments, runWithKills } from './journal-kills.ts';
import { stateOf } from './work-state.ts';

const SECRET = 'sk-a-key-that-no-table-may-have';

/** More than calls can be left in doubt by the kills below. */
const CALLS = 6;

/** Turns with one call each that leaves a mark and prints a secret, then the end. */
const programme: AnthropicProgramme = (body) => {
  const turn = messagesOf(body).filter(({ role }) => role === 'assistant').length + 1;
  if (turn > CALLS) return { content: [text('All are done.')] };
  return { content: [text(`Call ${turn}.`), toolUse(`c${turn}`, 'bash', { command: `echo ${turn} >> ./asked` })] };
};

/** Each notes that it ran. */
const HOOKS = {
  context: `echo context >> ./hooks-ran; echo "{\\"decision\\":\\"modify\\",\\"patch\\":{\\"append\\":\\"at $(date +%N)\\"}}"`,
  rewrite: `echo rewrite >> ./hooks-ran
n=$(sed 's/.*echo \\([0-9]\\) .*/\\1/')
echo "{\\"decision\\":\\"modify\\",\\"patch\\":{\\"command\\":\\"echo $n >> ./effects; echo ${SECRET}\\"}}" | sed 's/${SECRET}/sk-a-$(echo key)-that-no-table-may-have/'`,
  redact: `echo redact >> ./hooks-ran; cat > /dev/null; echo '{"decision":"modify","patch":{"content":"[removed]"}}'`,
};

function siteWithHooks(engage: string, config = '') {
  return (server: Pick<ModelServer, 'url'>, databaseUrl: string): Site => {
    const site = makeSite({
      modelUrl: server.url,
      databaseUrl,
      config: `[daemon]\nlease_seconds = 20\npoll_seconds = 0.5\n${config}`,
      faculties: {},
    });
    const workspace = join(site.directory, 'faculties');
    for (const [name, script] of Object.entries(HOOKS)) {
      writeFileSync(join(workspace, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(workspace, name), 0o755);
    }
    writeFileSync(
      join(workspace, 'smith.toml'),
      `[faculty]\nname = "smith"\npermissions.bash = "auto"\nworkspace = "${workspace}"\n[faculty.engage]\nmodel = "${MODEL}"\nsystem_prompt = "Act."\n` +
        `bash_isolation = "none"\n${engage}\n[faculty.hooks]\nbefore_llm_call = [{ command = "./context" }]\n` +
        `before_tool_call = [{ command = "./rewrite", tools = ["bash"] }]\nafter_tool_call = [{ command = "./redact" }]\n` +
        `[faculty.recover]\nmax_attempts = 100\n`,
    );
    return site;
  };
}

function linesOf(site: Site, name: string): string[] {
  const file = join(site.directory, 'faculties', name);
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

describe('hooks of the loop', () => {
  const pg = testDatabase({ anew: true });

  it('of a daemon that is killed at each step decide once, and every request repeats byte for byte', async () => {
    const server = await startModelServer(programme);
    onTestFinished(() => server.close());
    const kills: readonly Kill[] = [
      ...moments('record_hook_run', 1),
      ...moments('record_hook_run', 2),
      ...moments('record_hook_run', 3),
      ...moments('start_call', 1),
    ];
    const anyDue: Choose = (left, call, moment, times) =>
      left.findIndex((kill) => kill.call === call && kill.moment === moment && kill.nth <= times);
    const { id, site, met } = await runWithKills(pg, server, anyDue, kills, siteWithHooks('tools = ["bash"]'));
    expect(met.length).toBeGreaterThanOrEqual(kills.length - 2);
    const [item] = await pg.database.query(`select state, turns from animus.work_items where id = $1`, [id]);
    expect(item).toEqual({ state: 'completed', turns: CALLS + 1 });

    // A call that had started is in doubt and does not run again; none runs with the input that the model wrote.
    const effects = linesOf(site, 'effects');
    expect(new Set(effects).size).toBe(effects.length);
    expect(linesOf(site, 'asked')).toEqual([]);
    const runs = await pg.database.query(
      `select event, turn, decision from animus.hook_runs h join animus.foci f on f.id = h.focus_id where work_item_id = $1`,
      [id],
    );
    const before = runs.filter(({ event }) => event !== 'after_tool_call');
    expect(before).toHaveLength(2 * CALLS + 1);
    // A hook runs again only where the daemon was killed between it and its record.
    const lost = met.filter(({ call, moment }) => call === 'record_hook_run' && moment === 'before').length;
    expect(linesOf(site, 'hooks-ran').length).toBeLessThanOrEqual(runs.length + lost);

    const byTurn = Map.groupBy(server.requests, ({ json }) => messagesOf(json!).length);
    for (const [first, ...again] of byTurn.values()) {
      for (const request of again) expect(JSON.stringify(request.json)).toBe(JSON.stringify(first!.json));
    }
    const stored = await pg.database.query<{ rows: string }>(
      `select (select json_agg(c)::text from animus.tool_calls c) || (select json_agg(m)::text from animus.focus_messages m) as rows`,
    );
    expect(stored[0]!.rows).toContain('[removed]');
    expect(stored[0]!.rows + JSON.stringify(server.requests.map(({ json }) => json))).not.toContain(SECRET);
  }, 300_000);

  it('add their message once to a turn that is asked in a batch', async () => {
    const server = await startBatchServer(programme);
    onTestFinished(() => server.close());
    const batch = '[batch]\ngather_seconds = 0.5\npoll_seconds = 0.5\nsubmit_timeout_seconds = 2\n';
    const site = siteWithHooks('tools = ["bash"]\nbatch = true', batch)(server, pg.connectionString);
    await startDaemon(site);
    const [item] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty, description) values ('smith', 'batch') returning id`,
    );
    await stateOf(pg.database, item!.id, 'completed');
    const ran = linesOf(site, 'hooks-ran');
    expect(ran.filter((line) => line === 'context')).toHaveLength(CALLS + 1);
    expect(ran.filter((line) => line === 'rewrite')).toHaveLength(CALLS);
    const messages = await pg.database.query(
      `select after_turn from animus.focus_messages m join animus.foci f on f.id = m.focus_id
        where work_item_id = $1 and kind = 'hook' order by seq`,
      [item!.id],
    );
    expect(messages).toEqual(Array.from({ length: CALLS + 1 }, (_, turn) => ({ after_turn: turn })));
  }, 180_000);
});
