/** (c) Claim and complete at depth: what a claim costs behind a million rows, against an empty queue. */
import { randomUUID } from 'node:crypto';
import type { Database } from '../../../src/store/database.ts';
import { type ClaimableFaculty, claimWork, completeWorks } from '../../../src/store/work.ts';
import { fillQueue } from '../../store/fill-queue.ts';
import { percentiles } from './scenarios.ts';
import { type BenchServer, withPool } from './server.ts';

const FACULTIES: Record<string, ClaimableFaculty> = {
  crowd: { max: 1, max_attempts: 3, dedup_until: 'resolved' },
  noop: { max: 1000, max_attempts: 3, dedup_until: 'resolved' },
};

export async function depth(server: BenchServer, rows: number, print: (line: string) => void): Promise<void> {
  print('\nclaim and complete of one item, ms');
  for (const [name, fill] of Object.entries({
    'empty queue': async () => {},
    [`${rows} queued`]: async (db: Database) => fillQueue(db, { queued: { noop: rows } }),
    [`${rows} resolved, ${rows / 10} scheduled`]: async (db: Database) =>
      fillQueue(db, { resolved: rows, scheduled: rows / 10 }),
    [`${rows * 0.9} of a saturated faculty, ${rows / 10} scheduled`]: async (db: Database) =>
      fillQueue(db, { queued: { crowd: rows * 0.9 }, scheduled: rows / 10 }),
  })) {
    await withPool(await server.migrated(), async (db) => {
      await fill(db);
      await db.query(`insert into animus.work_items (faculty) values ('crowd')`);
      await claimWork(db, randomUUID(), { crowd: FACULTIES['crowd']! }, 1, 600);
      await db.query(`insert into animus.work_items (faculty) select 'noop' from generate_series(1, 600)`);
      const claims: number[] = [];
      const ends: number[] = [];
      for (let n = 0; n < 520; n++) {
        const before = performance.now();
        const [work] = await claimWork(db, randomUUID(), FACULTIES, 1, 60);
        const claimed = performance.now();
        await completeWorks(db, [{ ...work!, outcome: {}, summary: null }]);
        if (n < 20) continue;
        claims.push(claimed - before);
        ends.push(performance.now() - claimed);
      }
      const [claim, end] = [percentiles(claims), percentiles(ends)];
      print(
        `  ${name.padEnd(52)} claim p50 ${claim.p50.toFixed(2)} p95 ${claim.p95.toFixed(2)}   complete p50 ${end.p50.toFixed(2)} p95 ${end.p95.toFixed(2)}`,
      );
    });
  }
}

/** What docs/operations.md shows: a claim and a status at depth, with their buffers. */
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
