/** Runs of one item whose daemon is killed when it calls functions of the database, and started again. */
import type { Database } from '../../src/store/sql/database.ts';
import { type Site, startDaemon } from '../support/daemon-process.ts';
import type { TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { letKilledDaemonBeGone } from '../support/killed-daemons.ts';
import type { ModelServer } from '../support/model-server/server.ts';
import { type Moment, startPostgresProxy } from '../support/postgres-proxy.ts';
import { workshop } from './twenty-turns.ts';

/** Where the daemon is killed: at the n-th call (from 1) since its start, before or after the commit. */
export interface Kill {
  readonly call: string;
  readonly nth: number;
  readonly moment: Moment;
}

/** A kill before the commit and one after it. */
export function moments(call: string, nth: number): Kill[] {
  return [
    { call, nth, moment: 'before' },
    { call, nth, moment: 'after' },
  ];
}

/** The index of the remaining kill that is due at this call, or -1. */
export type Choose = (left: readonly Kill[], call: string, moment: Moment, times: number) => number;

/** Runs one item of the faculty smith to its end, restarting the daemon after each kill; `siteOf` makes the site, `insert` the item and what comes before it. */
export async function runWithKills(
  pg: TestDatabase,
  server: ModelServer,
  choose: Choose,
  kills: readonly Kill[],
  siteOf: (server: ModelServer, databaseUrl: string) => Site = workshop,
  insert: (database: Database) => Promise<string> = insertOne,
): Promise<{ readonly id: string; readonly site: Site; readonly met: readonly Kill[] }> {
  const proxy = await startPostgresProxy(pg.connectionString);
  const site = siteOf(server, proxy.url);
  const left = [...kills];
  const met: Kill[] = [];
  const id = await insert(pg.database);
  for (;;) {
    await letKilledDaemonBeGone(pg.database);
    let pid: number | null = null;
    let killed = false;
    const times = new Map<string, number>();
    proxy.watch((call, moment) => {
      if (killed) return 'cut';
      const key = `${call} ${moment}`;
      times.set(key, (times.get(key) ?? 0) + 1);
      const index = choose(left, call, moment, times.get(key)!);
      if (index < 0 || pid === null) return 'pass';
      met.push(...left.splice(index, 1));
      killed = true;
      process.kill(pid, 'SIGKILL');
      return 'cut';
    });
    const daemon = await startDaemon(site, [], {}, (spawned) => {
      pid = spawned;
    }).catch(() => null); // killed before it was ready
    let gone = daemon === null;
    void daemon?.exited.then(() => {
      gone = true;
    });
    const over = await eventually(
      'the item ends or the daemon is killed',
      async () => ((await isOver(pg.database, id)) ? 'over' : gone ? 'killed' : null),
      120,
    );
    if (over === 'killed') continue;
    if (!gone) await daemon!.kill('SIGKILL');
    return { id, site, met };
  }
}

async function insertOne(database: Database): Promise<string> {
  const [row] = await database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ('smith', 'Take twenty steps') returning id`,
  );
  return row!.id;
}

async function isOver(database: Database, id: string): Promise<boolean> {
  const [row] = await database.query(`select from animus.work_items where id = $1 and resolved_at is not null`, [id]);
  return row !== undefined;
}
