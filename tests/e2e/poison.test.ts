/** Promise: work that ends every daemon that runs it is dead, and the work beside it is done. */
import { expect, it, onTestFinished } from 'vitest';
import { type LaunchedDaemon, makeSite, runAnimus, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, messagesOf, startModelServer } from '../support/model-server/either-wire.ts';

const faculty = (name: string, prompt: string) => `
[faculty]
name = "${name}"
description = "Works"
[faculty.engage]
model = "${MODEL}"
system_prompt = "${prompt}"
tools = ["bash"]
[faculty.recover]
max_attempts = 1
`;
const CONFIG = '[daemon]\nlease_seconds = 5\npoll_seconds = 0.5\nmax_concurrent = 8\n';
const NEIGHBOURS = 40;

const pg = testDatabase({ anew: true });

it('one poisonous item among others ends two daemons for each of its attempts, and nothing else', async () => {
  const server = await startModelServer((body) => {
    if (JSON.stringify(body).includes('You are poison.'))
      return { content: [toolUse('nap', 'bash', { command: 'sleep 600' })] };
    return messagesOf(body).length < 2
      ? { content: [toolUse('say', 'bash', { command: 'sleep 0.3; echo hello' })] }
      : { content: [text('Done.')] };
  });
  onTestFinished(() => server.close());
  const site = makeSite({
    modelUrl: server.url,
    databaseUrl: pg.connectionString,
    config: CONFIG,
    faculties: { worker: faculty('worker', 'You work.'), snake: faculty('snake', 'You are poison.') },
  });
  const daemons = new Map<number, LaunchedDaemon>();
  const start = async () => {
    const daemon = await startDaemon(site);
    daemons.set(daemon.pid, daemon);
  };
  await start();
  await start();
  await pg.database.query(
    `insert into animus.work_items (faculty, description) select 'worker', 'neighbour ' || n from generate_series(1, $1) n`,
    [NEIGHBOURS],
  );
  const [row] = await pg.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description, priority) values ('snake', 'bite', 10) returning id`,
  );
  const poison = row!.id;

  let kills = 0;
  const error = await eventually(
    'the poison is dead',
    async () => {
      const [item] = await pg.database.query<{ state: string; pid: number | null; error: unknown; begun: boolean }>(
        `select w.state, d.pid, w.error,
                exists (select from animus.foci f join animus.tool_calls c on c.focus_id = f.id where f.work_item_id = w.id and c.state = 'started') as begun
           from animus.work_items w left join animus.daemons d on d.id = w.lease_owner where w.id = $1`,
        [poison],
      );
      if (item!.state === 'dead') return item!.error;
      const holder = item!.state === 'running' && item!.begun ? daemons.get(item!.pid ?? 0) : undefined;
      if (holder !== undefined) {
        kills += 1;
        daemons.delete(holder.pid);
        await holder.kill('SIGKILL');
        await start();
      }
      return null;
    },
    350,
  );
  expect(error).toMatchObject({ code: 'work.poison', message: expect.stringContaining('2 daemons ended') });
  expect(kills).toBe(2);
  const others = await eventually(
    'the others are done',
    async () => {
      const rows = await pg.database.query<{ state: string; n: number; attempts: number }>(
        `select state, count(*)::int as n, max(attempts) as attempts from animus.work_items where id <> $1 group by state`,
        [poison],
      );
      return rows.length === 1 && rows[0]!.state === 'completed' ? rows : null;
    },
    100,
  );
  expect(others).toEqual([{ state: 'completed', n: NEIGHBOURS, attempts: 0 }]);
  expect(daemons.size).toBe(2);
  const shown = await runAnimus(site, ['work', 'show', poison]);
  expect(shown.stdout).toContain('2 daemons ended');
}, 500_000);
