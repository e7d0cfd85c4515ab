import { beforeEach, describe, expect, test } from 'vitest';
import { submitWork } from '../../../src/store/work/submit-work.ts';
import { completeWork } from '../../../src/store/work/work.ts';
import { testDatabase } from '../../support/database.ts';
import {
  claim,
  claimOne,
  emptyQueue,
  faculties,
  insertWork,
  openTransaction,
  readWork,
  stateOf,
  untilBlocked,
} from './queue-driver.ts';

const target = testDatabase();
beforeEach(() => emptyQueue(target.database));

describe('a dedup key', () => {
  test('merges a duplicate of an active item, and is free again when that item has ended', async () => {
    const first = await submitWork(target.database, { faculty: 'engineer', dedupKey: 'invoice 7' });
    const second = await submitWork(target.database, { faculty: 'engineer', dedupKey: 'invoice 7' });
    expect(second).toMatchObject({ state: 'merged', mergedInto: first.id });
    expect(await readWork(target.database, second.id)).toMatchObject({ messages: 0, archived: 0, keys: 0 });
    const other = await submitWork(target.database, { faculty: 'writer', dedupKey: 'invoice 7' });
    expect(other.state).toBe('queued');
    const work = await claimOne(target.database);
    expect((await submitWork(target.database, { faculty: 'engineer', dedupKey: 'invoice 7' })).state).toBe('merged');
    await completeWork(target.database, work, {}, null);
    expect((await submitWork(target.database, { faculty: 'engineer', dedupKey: 'invoice 7' })).state).toBe('queued');
  });

  test('of a faculty with dedup_until = claimed is free from the claim on, and a later holder keeps it', async () => {
    const until = faculties(['engineer', { dedup_until: 'claimed' }]);
    await insertWork(target.database, { dedup_key: 'k' });
    const work = await claimOne(target.database, until);
    const next = await insertWork(target.database, { dedup_key: 'k' });
    expect(await readWork(target.database, next)).toMatchObject({ state: 'queued', keys: 1 });
    await completeWork(target.database, work, {}, null);
    expect(await readWork(target.database, next)).toMatchObject({ state: 'queued', keys: 1 });
    expect(await stateOf(target.database, await insertWork(target.database, { dedup_key: 'k' }))).toBe('merged');
  });

  test('within one statement: one item of each key is queued, the others merge into it', async () => {
    const rows = await target.database.query<{
      id: string;
      dedup_key: string;
      state: string;
      merged_into: string | null;
    }>(
      `insert into animus.work_items (faculty, dedup_key) select 'engineer', 'k' || n % 7 from generate_series(1, 700) n
       returning id, dedup_key, state, merged_into`,
    );
    const queued = new Map(rows.filter((row) => row.state === 'queued').map((row) => [row.dedup_key, row.id]));
    expect(queued.size).toBe(7);
    for (const row of rows.filter((row) => row.state === 'merged'))
      expect(row.merged_into).toBe(queued.get(row.dedup_key));
    expect(rows.filter((row) => row.state === 'merged')).toHaveLength(693);
  });

  test('under concurrent inserts from many connections: exactly one active item per key', async () => {
    const pool = target.open({ poolSize: 24 });
    const states = await Promise.all(
      Array.from({ length: 240 }, async (_, n) => submitWork(pool, { faculty: 'engineer', dedupKey: `key ${n % 12}` })),
    );
    expect(states.filter((work) => work.state === 'queued')).toHaveLength(12);
    const active = new Set(states.filter((work) => work.state === 'queued').map((work) => work.id));
    for (const work of states) if (work.state === 'merged') expect(active.has(work.mergedInto!)).toBe(true);
    const [row] = await target.database.query<{ keys: number; messages: number }>(
      `select (select count(*)::int from animus.active_keys) as keys, (select count(*)::int from pgmq.q_animus_work) as messages`,
    );
    expect(row).toEqual({ keys: 12, messages: 12 });
  });

  test('of an open transaction makes the duplicate wait for its end: a commit merges, a rollback queues', async () => {
    for (const how of ['commit', 'rollback'] as const) {
      let first = '';
      const open = await openTransaction(target.database, async (tx) => {
        first = await insertWork(tx, { dedup_key: how });
      });
      const second = insertWork(target.database, { dedup_key: how });
      await untilBlocked(target.database);
      await open.end(how);
      expect(await readWork(target.database, await second)).toMatchObject(
        how === 'commit' ? { state: 'merged', merged_into: first } : { state: 'queued', keys: 1, messages: 1 },
      );
    }
  });

  test('whose holder ends while a duplicate is inserted passes to the duplicate', async () => {
    await insertWork(target.database, { dedup_key: 'k' });
    const work = await claimOne(target.database);
    const open = await openTransaction(target.database, async (tx) => completeWork(tx, work, {}, null));
    const duplicate = insertWork(target.database, { dedup_key: 'k' });
    await untilBlocked(target.database);
    await open.end('commit');
    expect(await readWork(target.database, await duplicate)).toMatchObject({ state: 'queued', keys: 1 });
  });

  test('one statement can insert more keyed rows than there are locks', async () => {
    const [row] = await target.database.query<{ n: number }>(
      `with inserted as (insert into animus.work_items (faculty, dedup_key) select 'engineer', 'key ' || n from generate_series(1, 30000) n returning 1)
       select count(*)::int as n from inserted`,
    );
    expect(row!.n).toBe(30_000);
    expect(await target.database.query(`select count(*)::int as n from pgmq.q_animus_work`)).toEqual([{ n: 30_000 }]);
    expect(await claim(target.database, 3)).toHaveLength(3);
  }, 120_000);
});
