import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { readStatus } from '../../src/store/status-view.ts';
import { claimWork, completeWorks } from '../../src/store/work.ts';
import { testDatabase } from '../support/database.ts';
import { fillQueue } from './fill-queue.ts';
import { claim, DAEMON, emptyQueue, faculties, insertWork } from './queue-driver.ts';

const target = testDatabase();
beforeEach(() => emptyQueue(target.database));

describe('status', () => {
  test('counts queued work with that which waits for a concurrency key, and knows the oldest of any priority', async () => {
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

  test('of an empty queue answers with nothing', async () => {
    expect(await readStatus(target.database)).toMatchObject({ queue: [], foci: [], states: { queued: 0 } });
  });
});

describe('behind 200,000 rows', { timeout: 240_000 }, () => {
  test('a claim reads at most twice the buffers of an empty queue, and status stays bounded', async () => {
    const empty = await buffersOfClaim();
    await fillQueue(target.database, {
      queued: { crowd: 200_000, engineer: 50_000 },
      scheduled: 100_000,
      resolved: 200_000,
    });
    await claimWork(target.database, randomUUID(), faculties(['crowd', { max: 1 }]), 1, 600);
    const full = await buffersOfClaim();
    expect(full).toBeLessThanOrEqual(2 * empty);
    expect(await buffers('select animus.status()')).toBeLessThan(10_000);
    const status = await readStatus(target.database);
    expect(status.states).toMatchObject({ scheduled: status.count_cap, queued: 2 * status.count_cap });
  });
});

/** Buffers read by one claim of an item, the smallest of several: others touch catalogues for the first time. */
async function buffersOfClaim(): Promise<number> {
  const counts: number[] = [];
  for (let n = 0; n < 5; n++) {
    await insertWork(target.database, { priority: 1 });
    const json = JSON.stringify(faculties(['crowd', { max: 1 }], 'engineer'));
    counts.push(await buffers(`select * from animus.claim_work('${randomUUID()}', '${json}', 1, '1 minute')`));
    const [work] = await target.database.query<{ id: string; leaseToken: string }>(
      `select id, lease_token as "leaseToken" from animus.work_items where state = 'claimed' and faculty = 'engineer'`,
    );
    await completeWorks(target.database, [{ ...work!, outcome: {}, summary: null }]);
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
