import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { readStatus } from '../../../src/features/operate/status/status.ts';
import { completeBatch } from '../../../src/store/work/claimed/complete-batch.ts';
import { claimWork } from '../../../src/store/work/work.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { fillQueue } from '../work/fill-queue.ts';
import { claim, DAEMON, emptyQueue, faculties, insertWork } from '../work/queue-driver.ts';

const target = testDatabase();
beforeEach(() => emptyQueue(target.database));

describe('status', () => {
  test('counts queued work including items that wait for a concurrency key, and finds the oldest of any priority', async () => {
    const oldest = await insertWork(target.database, { priority: -5 });
    for (let n = 0; n < 3; n++) await insertWork(target.database, { priority: 1, concurrency_key: 'k' });
    await insertWork(target.database, { faculty: 'writer', concurrency_key: 'k' });
    await claim(target.database, 1, faculties('engineer', 'writer'));
    await target.database.query(`select animus.register_daemon($1, 'host', 1, '0', 4, '{"engineer": {}}', '[]')`, [
      DAEMON,
    ]);
    const status = await readStatus(target.database);
    const [row] = await target.database.query<{ created_at: Date }>(
      'select created_at from animus.work_items where id = $1',
      [oldest],
    );
    expect(status.states).toMatchObject({ queued: 4, claimed: 1 });
    expect(status.queue).toMatchObject([
      { faculty: 'engineer', queued: 3, routable: true },
      { faculty: 'writer', queued: 1, routable: false },
    ]);
    expect(Math.abs(Date.parse(status.queue[0]!.oldest_at!) - row!.created_at.getTime())).toBeLessThan(1);
  });

  test('works for an empty queue', async () => {
    expect(await readStatus(target.database)).toMatchObject({ queue: [], foci: [], states: { queued: 0 } });
  });
});

describe('status after failures', () => {
  test('lists the last ten dead items with their reasons, newest first', async () => {
    for (let n = 0; n < 12; n++) {
      const dead = await beginFocus(target.database);
      await target.database.query(`select animus.fail_work($1, $2, jsonb_build_object('message', $3::text), null)`, [
        dead.id,
        dead.leaseToken,
        `it broke ${n}`,
      ]);
    }
    const { dead_letters: letters, states } = await readStatus(target.database);
    expect(states.dead).toBe(12);
    expect(letters).toHaveLength(10);
    expect(letters[0]).toMatchObject({ reason: 'it broke 11', attempts: 1 });
    expect(letters.at(-1)?.reason).toBe('it broke 2');
  });

  test('never hides dead work behind newer ends, and marks every count that is not exact', async () => {
    const dead = await beginFocus(target.database);
    await target.database.query(`select animus.fail_work($1, $2, '{"message": "it broke"}', null)`, [
      dead.id,
      dead.leaseToken,
    ]);
    await target.database.query(
      `update animus.work_items set resolved_at = resolved_at - interval '3 days' where id = $1`,
      [dead.id],
    );
    expect(await readStatus(target.database)).toMatchObject({ states: { dead: 1 }, capped: [] });
    await fillQueue(target.database, { queued: { engineer: 1001 }, scheduled: 1, resolved: 1001 });
    const status = await readStatus(target.database);
    expect(status.dead_letters).toMatchObject([{ work_item_id: dead.id, reason: 'it broke' }]);
    expect(status.states).toMatchObject({ dead: 1, scheduled: 1, queued: 1000 });
    expect(status.capped.toSorted()).toEqual(['cancelled', 'completed', 'merged', 'queued']);
    expect(status.queue).toMatchObject([{ faculty: 'engineer', queued: 1000, capped: true }]);
  });

  test('distinguishes a daemon that stopped from one without heartbeats', async () => {
    await target.database.query('delete from animus.daemons');
    const [up, stopped, lost] = [randomUUID(), randomUUID(), randomUUID()];
    for (const id of [up, stopped, lost]) {
      await target.database.query(`select animus.register_daemon($1, 'host', 1, '0', 4, '{}', '[]')`, [id]);
    }
    await target.database.query('select animus.deregister_daemon($1)', [stopped]);
    await target.database.query(
      `update animus.daemons set seen_at = animus.now() - interval '3 minutes' where id = $1`,
      [lost],
    );
    const { daemons } = await readStatus(target.database);
    const said = daemons.map(({ id, alive, stopped_at: at }) => [id, alive, at !== null]);
    expect(new Set(said)).toEqual(
      new Set([
        [up, true, false],
        [stopped, false, true],
        [lost, false, false],
      ]),
    );
  });
});

describe('with 55,000 rows', { timeout: 240_000 }, () => {
  test('a claim reads at most twice the buffers of an empty queue, and status stays bounded', async () => {
    const empty = await buffersOfClaim();
    await fillQueue(target.database, {
      queued: { crowd: 20_000, engineer: 5_000 },
      scheduled: 10_000,
      resolved: 20_000,
    });
    await claimWork(target.database, randomUUID(), faculties(['crowd', { max: 1 }]), 1, 600);
    const full = await buffersOfClaim();
    expect(full).toBeLessThanOrEqual(2 * empty);
    await buffers('select animus.status()'); // The first call of a session reads the catalog, too.
    expect(await buffers('select animus.status()')).toBeLessThan(1000);
    const status = await readStatus(target.database);
    expect(status.states).toMatchObject({ scheduled: status.count_cap, queued: 2 * status.count_cap });
  });
});

/** Buffers read by one claim of an item, the smallest of several runs: others read catalogues for the first time. */
async function buffersOfClaim(): Promise<number> {
  const counts: number[] = [];
  for (let n = 0; n < 5; n++) {
    await insertWork(target.database, { priority: 1 });
    const json = JSON.stringify(faculties(['crowd', { max: 1 }], 'engineer'));
    counts.push(await buffers(`select * from animus.claim_work('${randomUUID()}', '${json}', 1, '1 minute')`));
    const [work] = await target.database.query<{ id: string; leaseToken: string }>(
      `select id, lease_token as "leaseToken" from animus.work_items where state = 'claimed' and faculty = 'engineer'`,
    );
    await completeBatch(target.database, [{ ...work!, outcome: {}, summary: null }]);
  }
  return Math.min(...counts);
}

async function buffers(sql: string): Promise<number> {
  const [row] = await target.database.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
    `explain (analyze, buffers, format json) ${sql}`,
  );
  const plan = row!['QUERY PLAN'][0].Plan;
  return plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!;
}
