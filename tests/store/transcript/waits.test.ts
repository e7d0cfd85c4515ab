import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { finishToolCalls } from '../../../src/store/transcript/calls.ts';
import { openWait, parkWork, readWaits, resolveDueWaits, resolveWait } from '../../../src/store/transcript/waits.ts';
import { claimWork, failWork } from '../../../src/store/work/work.ts';
import { beginFocus, claimable, type FocusedWork, itemOf, recordCalls } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const SOON = () => new Date(Date.now() + 3_600_000);
const PAST = () => new Date(Date.now() - 1000);

describe('a focus that waits', () => {
  const pg = testDatabase();

  async function parked(calls: readonly string[] = ['t1'], deadline: Date | null = null): Promise<FocusedWork> {
    const work = await beginFocus(pg.database);
    await recordCalls(pg.database, work, 1, calls);
    for (const call of calls) await openWait(pg.database, work.key, 1, call, { kind: 'human', deadline });
    expect(await parkWork(pg.database, work)).toBe('waiting');
    return work;
  }

  it('holds neither slot nor lease, and stays open', async () => {
    const { id } = await parked();
    expect(await itemOf(pg.database, id)).toMatchObject({
      state: 'waiting',
      lease_owner: null,
      lease_expires_at: null,
    });
    const [focus] = await pg.database.query('select ended_as from animus.foci where work_item_id = $1', [id]);
    expect(focus).toEqual({ ended_as: null });
  });

  it('releases its concurrency key, and the next item with the key can be claimed', async () => {
    const key = randomUUID();
    const work = await beginFocus(pg.database, { concurrencyKey: key });
    await recordCalls(pg.database, work, 1, ['t1']);
    await openWait(pg.database, work.key, 1, 't1', { kind: 'human', deadline: null });
    await parkWork(pg.database, work);
    const other = await beginFocus(pg.database, { concurrencyKey: key });
    expect(await itemOf(pg.database, other.id)).toMatchObject({ state: 'running' });
    await resolveWait(pg.database, work.id, 't1', {});
    expect(await itemOf(pg.database, work.id)).toMatchObject({ state: 'queued' });
  });

  it('wakes when the last of its waits is resolved, not before', async () => {
    const { id } = await parked(['a', 'b']);
    expect(await resolveWait(pg.database, id, 'a', { text: 'yes' })).toBe(true);
    expect(await itemOf(pg.database, id)).toMatchObject({ state: 'waiting' });
    expect(await resolveWait(pg.database, id, 'b', { text: 'no' })).toBe(true);
    expect(await itemOf(pg.database, id)).toMatchObject({ state: 'queued', attempts: 0 });
    expect((await readWaits(pg.database, id)).map((wait) => wait.result)).toEqual([{ text: 'yes' }, { text: 'no' }]);
  });

  it('is visible to plain readers of the queue again once it is woken', async () => {
    const { id } = await parked();
    const visible = () =>
      pg.database.query(
        `select from pgmq.q_animus_work m join animus.work_items w on w.queue_msg_id = m.msg_id where w.id = $1 and m.vt <= clock_timestamp()`,
        [id],
      );
    expect(await visible()).toHaveLength(0);
    await resolveWait(pg.database, id, 't1', {});
    expect(await visible()).toHaveLength(1);
  });

  it('keeps the first of two results for one wait', async () => {
    const { id } = await parked();
    expect(await resolveWait(pg.database, id, 't1', { first: 1 })).toBe(true);
    expect(await resolveWait(pg.database, id, 't1', { second: 2 })).toBe(false);
    expect(await resolveWait(pg.database, id, 'unknown', {})).toBe(false);
    expect((await readWaits(pg.database, id))[0]!.result).toEqual({ first: 1 });
  });

  it('wakes once when many connections resolve all of its waits at the same time', async () => {
    const many = pg.open({ poolSize: 20 });
    const calls = Array.from({ length: 10 }, (_, index) => `c${index}`);
    for (let round = 0; round < 5; round++) {
      const { id, faculty } = await parked(calls);
      // Two for each wait, so that they race both for the wait and for being the last.
      const all = await Promise.all([...calls, ...calls].map((call) => resolveWait(many, id, call, { by: call })));
      expect(all.filter(Boolean)).toHaveLength(calls.length);
      expect(await itemOf(pg.database, id)).toMatchObject({ state: 'queued' });
      const claimed = await Promise.all([1, 2, 3].map(() => claimWork(many, randomUUID(), claimable(faculty), 50, 60)));
      expect(claimed.flat().filter((work) => work.id === id)).toHaveLength(1);
    }
  });

  it('lets a resolver wait for a transaction that holds the item for a moment, as slow disks and other resolvers do', async () => {
    const { id } = await parked();
    const resolved = await pg.open({ poolSize: 1 }).transaction(async (tx) => {
      await tx.query('select from animus.work_items where id = $1 for no key update', [id]);
      const resolving = resolveWait(pg.database, id, 't1', {});
      await tx.query('select pg_sleep(0.7)');
      return [resolving];
    });
    expect(await Promise.all(resolved)).toEqual([true]);
  });

  it('is never left parked when the last wait is resolved during the park', async () => {
    const many = pg.open({ poolSize: 4 });
    for (let round = 0; round < 30; round++) {
      const work = await beginFocus(pg.database);
      await recordCalls(pg.database, work, 1, ['t1']);
      await openWait(pg.database, work.key, 1, 't1', { kind: 'human', deadline: null });
      await Promise.all([parkWork(many, work), resolveWait(many, work.id, 't1', {})]);
      expect(await itemOf(pg.database, work.id)).toMatchObject({ state: 'queued', lease_owner: null });
    }
  });

  it('records a deadline that passed as a time-out, and a timer as due', async () => {
    const work = await beginFocus(pg.database);
    await recordCalls(pg.database, work, 1, ['ask', 'timer', 'later']);
    await openWait(pg.database, work.key, 1, 'ask', { kind: 'human', deadline: PAST() });
    await openWait(pg.database, work.key, 1, 'timer', { kind: 'timer', deadline: PAST() });
    await openWait(pg.database, work.key, 1, 'later', { kind: 'timer', deadline: SOON() });
    await parkWork(pg.database, work);
    expect((await resolveDueWaits(pg.database, 10)).resolved).toBe(2);
    expect(await itemOf(pg.database, work.id)).toMatchObject({ state: 'waiting' });
    const waits = await readWaits(pg.database, work.id);
    expect(Object.fromEntries(waits.map((wait) => [wait.callId, wait.result]))).toEqual({
      ask: { timed_out: true },
      timer: { due: true },
      later: null,
    });
    await pg.database.query('select animus.cancel_work($1)', [work.id]);
  });

  it('reports when the next deadline is', async () => {
    const { id } = await parked(['t1'], SOON());
    const { nextDueMs } = await resolveDueWaits(pg.database, 10);
    expect(nextDueMs).toBeGreaterThan(3_500_000);
    expect(nextDueMs).toBeLessThanOrEqual(3_600_000);
    await pg.database.query('select animus.cancel_work($1)', [id]);
    expect(await resolveDueWaits(pg.database, 10)).toEqual({ resolved: 0, nextDueMs: null });
  });

  it('is woken once if several daemons check at the same time', async () => {
    const many = pg.open({ poolSize: 8 });
    const items = await Promise.all(Array.from({ length: 6 }, () => parked(['t1'], PAST())));
    const looks = await Promise.all(Array.from({ length: 8 }, () => resolveDueWaits(many, 100)));
    const rest = await resolveDueWaits(many, 100);
    expect([...looks, rest].reduce((sum, look) => sum + look.resolved, 0)).toBe(items.length);
    for (const { id } of items) expect(await itemOf(pg.database, id)).toMatchObject({ state: 'queued' });
  });

  it('is skipped by a check while somebody has the item locked', async () => {
    const other = pg.open({ poolSize: 1 });
    const { id } = await parked(['t1'], PAST());
    await other.transaction(async (tx) => {
      await tx.query('select from animus.work_items where id = $1 for no key update', [id]);
      expect((await resolveDueWaits(pg.database, 100)).resolved).toBe(0);
    });
    expect((await resolveDueWaits(pg.database, 100)).resolved).toBe(1);
  });

  it('ends with its waits when it is cancelled, and a late result changes nothing', async () => {
    const { id } = await parked();
    await pg.database.query('select animus.cancel_work($1)', [id]);
    expect(await itemOf(pg.database, id)).toMatchObject({ state: 'cancelled' });
    expect((await readWaits(pg.database, id))[0]!.result).toEqual({ ended: 'cancelled' });
    expect(await resolveWait(pg.database, id, 't1', { late: true })).toBe(false);
    expect(await itemOf(pg.database, id)).toMatchObject({ state: 'cancelled' });
  });

  it('is cancelled instead of parked if a cancel was requested', async () => {
    const work = await beginFocus(pg.database);
    await recordCalls(pg.database, work, 1, ['t1']);
    await openWait(pg.database, work.key, 1, 't1', { kind: 'human', deadline: null });
    await pg.database.query('select animus.cancel_work($1)', [work.id]);
    expect(await parkWork(pg.database, work)).toBe('cancelled');
  });

  it('cannot be parked by a stale holder of the lease', async () => {
    const work = await parked();
    await resolveWait(pg.database, work.id, 't1', {});
    await expect(parkWork(pg.database, work)).rejects.toMatchObject({ code: 'work.lease_lost' });
  });

  it('does not wait for waits that a failed attempt left open', async () => {
    const work = await beginFocus(pg.database);
    await recordCalls(pg.database, work, 1, ['old', 'same']);
    await openWait(pg.database, work.key, 1, 'old', { kind: 'human', deadline: null });
    await openWait(pg.database, work.key, 1, 'same', { kind: 'human', deadline: null });
    await failWork(pg.database, work, { code: 'x', message: 'x' }, 0);
    const again = await beginFocus(pg.database, { id: work.id });
    await recordCalls(pg.database, again, 1, ['same']);
    await openWait(pg.database, again.key, 1, 'same', { kind: 'timer', deadline: PAST() });
    expect(await parkWork(pg.database, again)).toBe('waiting');
    await resolveDueWaits(pg.database, 10);
    expect(await itemOf(pg.database, work.id)).toMatchObject({ state: 'queued' });
  });

  it('opening a wait twice, or for a call that has ended, changes nothing', async () => {
    const work = await beginFocus(pg.database);
    await recordCalls(pg.database, work, 1, ['t1', 't2']);
    expect(await openWait(pg.database, work.key, 1, 't1', { kind: 'timer', deadline: PAST() })).toBe(true);
    await resolveDueWaits(pg.database, 10);
    expect(await openWait(pg.database, work.key, 1, 't1', { kind: 'timer', deadline: SOON() })).toBe(false);
    expect((await readWaits(pg.database, work.id))[0]!.result).toEqual({ due: true });
    const done = {
      turn: 1,
      callId: 't2',
      state: 'done',
      output: 'x',
      isError: false,
      details: null,
      durationMs: 0,
    } as const;
    await finishToolCalls(pg.database, work.key, [done]);
    expect(await openWait(pg.database, work.key, 1, 't2', { kind: 'timer', deadline: SOON() })).toBe(false);
    // Everything is resolved, so there is nothing to park for.
    expect(await parkWork(pg.database, work)).toBe('queued');
  });

  it('a thousand of them wake in bounded batches', async () => {
    const count = 1000;
    await pg.database.query(
      `with born as (insert into animus.work_items (faculty) select 'sleeper' from generate_series(1, $1) returning id)
       select count(*) from born`,
      [count],
    );
    const daemon = randomUUID();
    const options = { sleeper: { max: count, max_attempts: 3, dedup_until: 'resolved' } } as const;
    const claimed = await claimWork(pg.database, daemon, options, count, 60);
    await pg.database.query(`update animus.work_items set state = 'running' where faculty = 'sleeper'`);
    await pg.database.query(
      `update animus.work_items set state = 'waiting', lease_owner = null, lease_expires_at = null where faculty = 'sleeper'`,
    );
    await pg.database.query(
      `insert into animus.waits (work_item_id, call_id, kind, deadline, created_at)
       select id, 't1', 'timer', now() - interval '1 second', now() from animus.work_items where faculty = 'sleeper'`,
    );
    expect(claimed).toHaveLength(count);
    let looks = 0;
    await eventually('all are awake', async () => {
      looks += 1;
      const { resolved, nextDueMs } = await resolveDueWaits(pg.database, 100);
      expect(resolved).toBeLessThanOrEqual(100);
      return nextDueMs === null ? true : null;
    });
    expect(looks).toBeLessThanOrEqual(11);
    const [left] = await pg.database.query(
      `select count(*)::int as n from animus.work_items where faculty = 'sleeper' and state = 'queued'`,
    );
    expect(left).toEqual({ n: count });
  });
});
