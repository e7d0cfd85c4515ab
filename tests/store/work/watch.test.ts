/** The promise: the end of a watched item is either seen by whoever begins to watch it, or notified, and neither delays the other. */
import { beforeEach, describe, expect, test } from 'vitest';
import { completeWork } from '../../../src/store/work/work.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { listen, noticeOf } from '../postgres/listener.ts';
import { claimOne, codeOf, DAEMON, emptyQueue, insertWork, openTransaction } from './queue-driver.ts';

const target = testDatabase();
beforeEach(() => emptyQueue(target.database));

describe('watch_work', () => {
  test('either returns the end or notifies of it, however close the two are', async () => {
    const listener = await listen(target.database, 'animus_work_done');
    try {
      const pool = target.open({ poolSize: 4 });
      for (let round = 0; round < 20; round++) {
        const work = await claimWork();
        const [[watched]] = await Promise.all([
          pool.query<{ state: string }>('select animus.watch_work($1) as state', [work.id]),
          completeWork(pool, work, {}, null),
        ]);
        if (watched!.state !== 'completed') await listener.until(`animus_work_done ${await noticeOf(pool, work.id)}`);
      }
    } finally {
      await listener.stop();
    }
  });

  test('waits for an end that is being committed', async () => {
    const work = await claimWork();
    const listener = await listen(target.database, 'animus_work_done');
    const open = await openTransaction(target.database, async (tx) => completeWork(tx, work, {}, null));
    const watching = target.database.query('select animus.watch_work($1) as state', [work.id]);
    await eventually('it waits', async () => {
      const rows = await target.database.query(
        `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep' and query ~ 'watch_work'`,
      );
      return rows.length > 0 ? true : null;
    });
    await open.end('commit');
    const [watched] = await watching;
    // It waits for two seconds. On a machine that takes longer to commit, the end is notified.
    if (watched!['state'] !== 'completed')
      await listener.until(`animus_work_done ${await noticeOf(target.database, work.id)}`);
    await listener.stop();
  });

  test('is found by an end that comes while it is being registered, and waits for no end of another item', async () => {
    await target.database.query(
      `insert into animus.work_items (faculty) select 'engineer' from generate_series(1, 200)`,
    );
    // Two items whose ends share a lock.
    const [pair] = await target.database.query<{ ids: [string, string] }>(
      `select array_agg(id)::text[] as ids from animus.work_items where state = 'queued' group by animus.ends_key(id) having count(*) > 1 limit 1`,
    );
    const [ended, watched] = pair!.ids;
    const listener = await listen(target.database, 'animus_work_done');
    const ends = await openTransaction(target.database, async (tx) => {
      await tx.query('select animus.cancel_work($1)', [ended]);
    });
    const watches = await openTransaction(target.database, async (tx) => {
      const [waits] = await tx.query<{ ddl: string }>(`select pg_get_functiondef('animus.await_ends'::regproc) as ddl`);
      await tx.query(
        `create or replace function animus.await_ends(p_id uuid) returns void language plpgsql as $$ begin raise 'waits'; end $$`,
      );
      await tx.query('select animus.watch_work($1)', [watched]);
      await tx.query(waits!.ddl);
    });
    await target.database.query('select animus.cancel_work($1)', [watched]);
    await listener.until(`animus_work_done ${await noticeOf(target.database, watched)}`);
    await watches.end('commit');
    await ends.end('commit');
    await listener.stop();
  });

  test('of unknown work is refused', async () => {
    expect(await codeOf(target.database.query('select animus.watch_work($1)', [DAEMON]))).toBe('work.not_found');
  });
});

async function claimWork() {
  await insertWork(target.database);
  return claimOne(target.database);
}
