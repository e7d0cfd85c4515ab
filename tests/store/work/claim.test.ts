import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { completeWork } from '../../../src/store/work/work.ts';
import { type DatabaseClock, fakeDatabaseClock } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import {
  claim,
  claimOne,
  DAEMON,
  emptyQueue,
  faculties,
  insertWork,
  openTransaction,
  readWork,
} from './queue-driver.ts';

const target = testDatabase();
let clock: DatabaseClock;
beforeAll(async () => {
  clock = await fakeDatabaseClock(target.database);
});
beforeEach(() => emptyQueue(target.database));

describe('the order of claims', () => {
  test('is priority, then age, within a faculty, and the result keeps it', async () => {
    const [low, first, second, high] = [
      await insertWork(target.database, { priority: -1 }),
      await insertWork(target.database),
      await insertWork(target.database),
      await insertWork(target.database, { priority: 5 }),
    ];
    expect((await claim(target.database, 9)).map((work) => work.id)).toEqual([high, first, second, low]);
  });

  test('gives work three attempts where the daemon says nothing of them', async () => {
    const id = await insertWork(target.database);
    await target.database.query(
      `select from animus.claim_work(gen_random_uuid(), '{"engineer": {"max": 1}}', 1, '1 minute')`,
    );
    expect(await readWork(target.database, id)).toMatchObject({ state: 'claimed', max_attempts: 3 });
  });

  test('shares slots between faculties of equal priority: the one with the fewest running items goes first', async () => {
    const of = faculties('crowd', 'rare');
    await target.database.query(`insert into animus.work_items (faculty) select 'crowd' from generate_series(1, 500)`);
    await target.database.query(`insert into animus.work_items (faculty) select 'rare' from generate_series(1, 5)`);
    const claimed = await claim(target.database, 8, of);
    expect(claimed.map((work) => work.faculty)).toEqual([
      'crowd',
      'rare',
      'crowd',
      'rare',
      'crowd',
      'rare',
      'crowd',
      'rare',
    ]);
  });

  test('starves nobody: with one slot and an endless backlog of another faculty, the rare faculty is served next', async () => {
    const of = faculties('crowd', 'rare');
    await target.database.query(`insert into animus.work_items (faculty) select 'crowd' from generate_series(1, 100)`);
    const running = await claim(target.database, 4, of);
    await insertWork(target.database, { faculty: 'rare' });
    await completeWork(target.database, running[0]!, {}, null);
    expect((await claimOne(target.database, of)).faculty).toBe('rare');
  });

  test('skips faculties that the daemon does not know or that are paused', async () => {
    const unknown = await insertWork(target.database, { faculty: 'unknown', priority: 9 });
    const paused = await insertWork(target.database, { faculty: 'paused', priority: 9 });
    const plain = await insertWork(target.database);
    await target.database.query(`select animus.pause('paused')`);
    const of = faculties('engineer', 'paused');
    expect((await claim(target.database, 9, of)).map((work) => work.id)).toEqual([plain]);
    await target.database.query(`select animus.pause()`);
    await target.database.query(`select animus.resume('paused')`);
    expect(await claim(target.database, 9, of)).toEqual([]);
    await target.database.query(`select animus.resume()`);
    expect((await claim(target.database, 9, of)).map((work) => work.id)).toEqual([paused]);
    expect(await readWork(target.database, unknown)).toMatchObject({ state: 'queued', attempts: 0 });
    expect((await claim(target.database, 9, faculties('unknown'))).map((work) => work.id)).toEqual([unknown]);
  });

  test('includes scheduled work when it is due', async () => {
    const [row] = await target.database.query<{ at: Date }>(`select animus.now() + interval '10 seconds' as at`);
    const id = await insertWork(target.database, { run_at: row!.at });
    expect(await claim(target.database)).toEqual([]);
    await clock.advance(9.9);
    expect(await claim(target.database)).toEqual([]);
    await clock.advance(0.1);
    expect((await claimOne(target.database)).id).toBe(id);
  });
});

describe('under concurrent claimers', () => {
  test('every item is claimed once and the maximum of a faculty is never exceeded', async () => {
    const of = faculties(['engineer', { max: 3 }], ['writer', { max: 1 }], 'free');
    await target.database.query(
      `insert into animus.work_items (faculty) select (array['engineer', 'writer', 'free'])[1 + n % 3] from generate_series(1, 150) n`,
    );
    const pool = target.open({ poolSize: 12 });
    const seen: string[] = [];
    const most: Record<string, number> = {};
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        const daemon = randomUUID();
        for (let idle = 0; idle < 3; ) {
          const work = await claim(pool, 2, of, daemon);
          if (work.length === 0) idle++;
          const rows = await pool.query<{ faculty: string; n: number }>(
            `select faculty, count(*)::int as n from animus.work_items where state = 'claimed' group by faculty`,
          );
          for (const row of rows) most[row.faculty] = Math.max(most[row.faculty] ?? 0, row.n);
          for (const one of work) {
            seen.push(one.id);
            await completeWork(pool, one, {}, null);
          }
        }
      }),
    );
    expect(seen).toHaveLength(150);
    expect(new Set(seen).size).toBe(150);
    expect(most).toMatchObject({ engineer: expect.any(Number), writer: 1 });
    expect(most['engineer']).toBeLessThanOrEqual(3);
  });

  test('a locked item is skipped, and delays no other', async () => {
    const [locked, next] = [await insertWork(target.database, { priority: 1 }), await insertWork(target.database)];
    const open = await openTransaction(target.database, async (tx) => {
      await tx.query('select animus.cancel_work($1)', [locked]);
    });
    expect((await claim(target.database, 1)).map((work) => work.id)).toEqual([next]);
    await open.end('rollback');
    expect((await claim(target.database, 1)).map((work) => work.id)).toEqual([locked]);
  });

  test('a daemon that gets all it asked for is full; one that gets less has free slots', async () => {
    await target.database.query(`select animus.register_daemon($1, 'host', 1, '0', 4, '{}', '[]')`, [DAEMON]);
    await target.database.query(`insert into animus.work_items (faculty) select 'engineer' from generate_series(1, 5)`);
    const full = async () =>
      (await target.database.query<{ saturated: boolean }>('select saturated from animus.daemons'))[0]!.saturated;
    await claim(target.database, 4);
    expect(await full()).toBe(true);
    await claim(target.database, 1);
    expect(await full()).toBe(true);
    await claim(target.database, 1);
    expect(await full()).toBe(false);
  });
});
