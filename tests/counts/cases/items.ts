/** The life of an item, as a daemon does it: its insert, its claim, its end; by itself and ten at a time; and its deletion. */
import { randomUUID } from 'node:crypto';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { completeBatch } from '../../../src/store/work/claimed/complete-batch.ts';
import { pruneWork } from '../../../src/store/work/retention.ts';
import { type ClaimedWork, claimReadyWork } from '../../../src/store/work/work.ts';
import { fillHistory, USUAL } from '../../store/work/fill-history.ts';
import { type Cost, least, type Meter } from '../meter.ts';

const FACULTIES = {
  counted_items: { max: 1000, max_attempts: 3, dedup_until: 'resolved' as const, batches: true as const },
};
const INSERT = `insert into animus.work_items (faculty, description) select 'counted_items', 'Item ' || n from generate_series(1, $1::int) n`;
const STEPS = ['insert', 'claim', 'end'] as const;
type Step = (typeof STEPS)[number];
const SAMPLES = 12;
/** As many as one statement of retention deletes at most. */
const OLD = 200;

export async function countItems(url: string, meter: Meter): Promise<Record<string, Cost>> {
  const db = openPostgres(meter.through(url), { poolSize: 1 });
  try {
    const rows: Record<string, Cost> = {};
    for (const [name, items] of [
      ['one item', 1],
      ['ten items', 10],
    ] as const) {
      Object.assign(rows, await lives(db, meter, name, items));
    }
    return rows;
  } finally {
    await db.close();
  }
}

/** What each step costs for so many items at once; each life begins with an empty queue. */
async function lives(db: Database, meter: Meter, name: string, items: number): Promise<Record<string, Cost>> {
  const request = { daemonId: randomUUID(), faculties: FACULTIES, limit: items, leaseSeconds: 60 };
  const tables = await writtenTables(db);
  const live = async (counted: Step | null) => {
    let work: readonly ClaimedWork[] = [];
    let cost: Cost = {};
    const take = async (step: Step, act: () => Promise<unknown>) => {
      if (step === counted) cost = await meter.count(act);
      else await act();
    };
    await take('insert', () => db.query(INSERT, [items]));
    await take('claim', async () => ({ work } = await claimReadyWork(db, request)));
    if (work.length !== items) throw new Error(`${work.length} items were claimed, not ${items}`);
    await take('end', () => end(db, work));
    return cost;
  };
  for (let n = 0; n < SAMPLES; n++) await live(null); // until the plans are kept
  const rows: Record<string, Cost> = {};
  const afterOther = async (step: Step) => {
    // What earlier lives left behind is cleaned up now, not by whichever statement comes across it. The life in between reads the catalog again.
    await db.query(`vacuum ${tables}`);
    await live(null);
    return live(step);
  };
  for (const step of STEPS) rows[`${step} ${name}`] = await least(SAMPLES, () => afterOther(step));
  return rows;
}

async function writtenTables(db: Database): Promise<string> {
  const [row] = await db.query<{ names: string }>(
    `select string_agg(oid::regclass::text, ', ') as names from pg_class
      where relkind = 'r' and relnamespace in ('animus'::regnamespace, 'pgmq'::regnamespace) and pg_relation_size(oid) > 0`,
  );
  return row!.names;
}

async function end(db: Database, work: readonly ClaimedWork[]): Promise<void> {
  const ends = await completeBatch(
    db,
    work.map((item) => ({ ...item, outcome: { done: true }, summary: 'It is done.' })),
  );
  if (ends.some((result) => result !== 'completed')) throw new Error(`the items ended as ${ends.join(', ')}`);
}

/** Retention of items with their transcripts. */
export async function countRetention(owner: Database, url: string, meter: Meter): Promise<Record<string, Cost>> {
  const db = openPostgres(meter.through(url), { poolSize: 1 });
  try {
    const prune = async () => {
      await fillHistory(owner, OLD, USUAL, '3000 days');
      return meter.count(async () => {
        const { deleted } = await pruneWork(db, 2900, OLD, null);
        if (deleted !== OLD) throw new Error(`${deleted} items were deleted, not ${OLD}`);
      });
    };
    await prune();
    return { [`retention of ${OLD} items of 26 rows`]: await least(3, prune) };
  } finally {
    await db.close();
  }
}
