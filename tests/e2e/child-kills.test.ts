/** Promise: a daemon that is killed at any statement on the way of child work spawns each child once, and its parent gets every result once. */
import { expect, it, onTestFinished } from 'vitest';
import { makeSite, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { letKilledDaemonBeGone } from '../support/killed-daemons.ts';
import { startModelServer } from '../support/model-server/either-wire.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { readTree, splittingProgramme, TREE_FACULTY, task } from './family-tree.ts';
import { moments } from './journal-kills.ts';

const CONFIG = '[daemon]\nlease_seconds = 30\npoll_seconds = 1\nmax_concurrent = 1\n';
const pg = testDatabase({ anew: true });

/** What a daemon calls on the way of a parent and its children; it is killed at the first such call since its start, each once. */
const CALLS = [
  'spawn_child_work',
  'lock_children',
  'open_wait',
  'park_work',
  'record_turn',
  // With an answer, and without.
  'complete_batch',
  'complete_batch',
];

it('killed before and after every statement of child work', async () => {
  const server = await startModelServer(splittingProgramme);
  onTestFinished(() => server.close());
  const proxy = await startPostgresProxy(pg.connectionString);
  const faculties = { tree: TREE_FACULTY };
  const site = makeSite({ modelUrl: server.url, config: CONFIG, faculties, databaseUrl: proxy.url });
  const [row] = await pg.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ('tree', $1) returning id`,
    [task(3)],
  );
  const left = CALLS.flatMap((call) => moments(call, 1));
  const isOver = async () =>
    (await pg.database.query('select from animus.work_items where id = $1 and resolved_at is not null', [row!.id]))
      .length > 0;

  for (let over = false; !over; ) {
    // Else children would run before their parent is taken over, and it would not wait for them.
    await letKilledDaemonBeGone(pg.database);
    await pg.database.query(
      `update animus.work_items set crashes = 0, attempts = 0, deaths = 0 where root_id = $1 and state in ('claimed', 'running')`,
      [row!.id],
    );
    let pid: number | null = null;
    let killed = false;
    proxy.watch((call, moment) => {
      if (killed) return 'cut';
      const due = left.findIndex((kill) => kill.call === call && kill.moment === moment);
      if (due < 0 || pid === null) return 'pass';
      left.splice(due, 1);
      killed = true;
      process.kill(pid, 'SIGKILL');
      return 'cut';
    });
    const daemon = await startDaemon(site, [], {}, (spawned) => {
      pid = spawned;
    });
    let gone = false;
    void daemon.exited.then(() => {
      gone = true;
    });
    await eventually('the parent ends or the daemon is killed', async () => gone || (await isOver()) || null, 120);
    over = !gone;
    if (over) await daemon.kill('SIGKILL');
  }

  expect(left).toEqual([]);
  const leaf = { depth: 1, state: 'completed', summary: 'A leaf.', foci: 1, waits: 0, spawned: 0, children: 0 };
  expect(await readTree(pg.database, row!.id)).toEqual([
    { depth: 0, state: 'completed', summary: 'Children: 3 completed', foci: 1, waits: 1, spawned: 3, children: 3 },
    leaf,
    leaf,
    leaf,
  ]);
}, 300_000);
