/** (c) Claim and complete at depth: the cost of a claim with a million rows, compared with an empty queue. */
import { randomUUID } from 'node:crypto';
import type { Database } from '../../../src/store/sql/database.ts';
import { completeBatch } from '../../../src/store/work/claimed/complete-batch.ts';
import { type ClaimableFaculty, claimWork } from '../../../src/store/work/work.ts';
import { fillQueue } from '../../store/work/fill-queue.ts';
import { median, percentiles } from './scenarios.ts';
import { type BenchServer, withPool } from './server.ts';

const FACULTIES: Record<string, ClaimableFaculty> = {
  crowd: { max: 1, max_attempts: 3, dedup_until: 'resolved' },
  noop: { max: 1000, max_attempts: 3, dedup_until: 'resolved' },
};

export async function depth(
  server: BenchServer,
  rows: number,
  runs: number,
  print: (line: string) => void,
): Promise<void> {
  print('\nclaim and complete of one item, ms');
  let empty: Depth | null = null;
  for (const [name, fill] of Object.entries({
    'empty queue': async () => {},
    [`${rows} queued`]: async (db: Database) => fillQueue(db, { queued: { noop: rows } }),
    [`${rows} resolved, ${rows / 10} scheduled`]: async (db: Database) =>
      fillQueue(db, { resolved: rows, scheduled: rows / 10 }),
    [`${rows * 0.9} of a saturated faculty, ${rows / 10} scheduled`]: async (db: Database) =>
      fillQueue(db, { queued: { crowd: rows * 0.9 }, scheduled: rows / 10 }),
  })) {
    const measured = await withPool(await server.migrated(), async (db) => {
      await fill(db);
      await db.query(`insert into animus.work_items (faculty) values ('crowd')`);
      await claimWork(db, randomUUID(), { crowd: FACULTIES['crowd']! }, 1, 600);
      const rounds: Depth[] = [];
      for (let n = 0; n < runs; n++) rounds.push(await claimAndComplete(db));
      return medians(rounds);
    });
    empty ??= measured;
    const columns = Object.entries(measured).map(([key, ms]) => `${key} ${ms.toFixed(2)}`);
    const times = (measured['claim p95'] / empty['claim p95']).toFixed(2);
    print(`  ${name.padEnd(52)} ${columns.join('   ')}   claim p95 ${times} times that of the empty queue`);
  }
}

type Depth = Record<'claim p50' | 'claim p95' | 'complete p50' | 'complete p95', number>;

/** Five hundred items, one at a time, after twenty to warm up. */
async function claimAndComplete(db: Database): Promise<Depth> {
  await db.query(`insert into animus.work_items (faculty) select 'noop' from generate_series(1, 520)`);
  const claims: number[] = [];
  const ends: number[] = [];
  for (let n = 0; n < 520; n++) {
    const before = performance.now();
    const [work] = await claimWork(db, randomUUID(), FACULTIES, 1, 60);
    const claimed = performance.now();
    await completeBatch(db, [{ ...work!, outcome: {}, summary: null }]);
    if (n < 20) continue;
    claims.push(claimed - before);
    ends.push(performance.now() - claimed);
  }
  const [claim, end] = [percentiles(claims), percentiles(ends)];
  return { 'claim p50': claim.p50, 'claim p95': claim.p95, 'complete p50': end.p50, 'complete p95': end.p95 };
}

function medians(rounds: readonly Depth[]): Depth {
  const of = (key: keyof Depth) => median(rounds.map((round) => round[key]));
  return {
    'claim p50': of('claim p50'),
    'claim p95': of('claim p95'),
    'complete p50': of('complete p50'),
    'complete p95': of('complete p95'),
  };
}

/** The plans in docs/performance.md: a claim and a status at depth, with their buffers. */
export async function explain(server: BenchServer, rows: number, print: (line: string) => void): Promise<void> {
  await withPool(
    await server.migrated(),
    async (db) => {
      await fillQueue(db, { queued: { crowd: rows * 0.9 }, scheduled: rows / 10, resolved: rows / 10 });
      await claimWork(db, randomUUID(), { crowd: FACULTIES['crowd']! }, 1, 600);
      await db.query(`insert into animus.work_items (faculty) select 'noop' from generate_series(1, 20)`);
      const claim = `select id from animus.claim_work('${randomUUID()}', '${JSON.stringify(FACULTIES)}', 1, '1 minute')`;
      for (const sql of [claim, 'select animus.status()']) {
        for (let n = 0; n < 5; n++) await db.query(sql);
        const plan = await db.query<{ 'QUERY PLAN': string }>(`explain (analyze, buffers) ${sql}`);
        print([`\n${sql}`, ...plan.map((row) => row['QUERY PLAN'])].join('\n'));
      }
    },
    1,
  );
}
