import type { Database } from '../../../src/store/sql/database.ts';

const ENDED = `
  select count(*) filter (where state = 'completed')::int as ended, count(*) filter (where state not in ('completed', 'queued', 'claimed', 'running'))::int as failed from animus.work_items
   where starts_with(faculty, 'quick')`;

/** Inserts items of the faculties `quick0` … and waits until all of them have completed. */
export async function drain(db: Database, faculties: number, count: number): Promise<void> {
  const [last] = await db.query<{ ended: number }>(ENDED);
  await db.query(
    `insert into animus.work_items (faculty, description) select 'quick' || n % $2::int, 'Item ' || n from generate_series(1, $1::int) n`,
    [count, faculties],
  );
  for (;;) {
    const [row] = await db.query<{ ended: number; failed: number }>(ENDED);
    if (row!.failed > 0) throw new Error(`${row!.failed} items did not complete`);
    if (row!.ended - last!.ended === count) return;
    await db.query('select pg_sleep(0.02)');
  }
}
