/** Counts what a piece of work costs a database, as seen from the network and by the server. */
import { setTimeout } from 'node:timers/promises';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { type Relay, startRelay } from './relay.ts';

/** Costs by measure. */
export type Cost = Readonly<Record<string, number>>;

export interface Meter {
  /** The connection string through the relay: only what goes through it has statements, round trips and transactions. */
  through(url: string): string;
  /** What a piece of work costs. It must have no statement under way before and after. */
  count(work: () => Promise<unknown>): Promise<Cost>;
  /** All that was counted so far. */
  read(): Promise<Cost>;
  close(): Promise<void>;
}

/** The setting without which the server does not count; the statements of other databases are left alone. */
export const COUNTING = [
  '-c',
  'shared_preload_libraries=pg_stat_statements',
  '-c',
  'pg_stat_statements.track=none',
  // Otherwise a page is in the WAL as a whole after each checkpoint, which any test may cause.
  '-c',
  'full_page_writes=off',
] as const;

/** Whether the server counts, and is of the version for which the table was written. */
export async function canCount(admin: Database): Promise<boolean> {
  const [row] = await admin.query<{ libraries: string; version: number }>(
    `select current_setting('shared_preload_libraries') as libraries, current_setting('server_version_num')::int / 10000 as version`,
  );
  return row!.version === 18 && row!.libraries.includes('pg_stat_statements');
}

/** A meter of the database of `url`; `admin` is a superuser's, in another database. */
export async function openMeter(admin: Database, url: string): Promise<Meter> {
  const name = new URL(url).pathname.slice(1);
  await admin.query('create extension if not exists pg_stat_statements');
  await admin.query(`alter database ${name} set pg_stat_statements.track = 'top'`);
  await admin.query(`alter database ${name} set pg_stat_statements.track_planning = on`);
  await withoutAutovacuum(url);
  const relay: Relay = await startRelay(url);
  const read = async () => {
    const { statements, roundTrips, transactions } = relay.passed;
    const [row] = await admin.query<Record<string, number>>(COUNTED, [name]);
    return { statements, roundTrips, transactions, ...row! };
  };
  /** Until what follows from the work before, such as a second look for events, has passed. */
  const quiet = async () => {
    for (let passed = -1; passed !== relay.passed.statements; await setTimeout(QUIET_MS))
      passed = relay.passed.statements;
  };
  return {
    through: relay.through,
    read,
    async count(work) {
      await quiet();
      const before = await read();
      await work();
      await quiet();
      return difference(await read(), before);
    },
    close: relay.close,
  };
}

/** On a busy server the cases take long enough for autovacuum to come by: what it cleans up first, no statement has to. */
async function withoutAutovacuum(url: string): Promise<void> {
  const db = openPostgres(url, { poolSize: 1, applicationName: 'animus-test-counts' });
  try {
    const tables = await db.query<{ name: string }>(
      `select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace in ('animus'::regnamespace, 'pgmq'::regnamespace)`,
    );
    await db.query(tables.map(({ name }) => `alter table ${name} set (autovacuum_enabled = off)`).join(';'));
  } finally {
    await db.close();
  }
}

/** What the statements of a database did so far: without the record of a commit, and without what planning reads. */
const COUNTED = `
  select coalesce(sum(plans), 0)::float8 as plans, coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 as buffers,
         coalesce(sum(wal_bytes), 0)::float8 as "walBytes", coalesce(sum(wal_fpi), 0)::float8 as "pageImages"
    from pg_stat_statements s join pg_database d on d.oid = s.dbid where d.datname = $1`;

export function difference(after: Cost, before: Cost): Cost {
  return Object.fromEntries(Object.entries(after).map(([measure, value]) => [measure, value - before[measure]!]));
}

/** What makes a sample say something else: images of whole pages in the WAL, as after each checkpoint, and garbage that was collected. */
export const DISTURBANCES: readonly string[] = ['pageImages', 'collections'];
const MOST_REPEATED = 30;
const QUIET_MS = 30;

/**
 * The least of `samples` of each measure: whatever else the server does, such as filling its caches again after another test has made a
 * table, comes on top. A disturbed sample is taken again.
 */
export async function least(samples: number, sample: () => Promise<Cost>): Promise<Cost> {
  const taken: Cost[] = [];
  for (let repeated = 0; taken.length < samples; ) {
    const cost = await sample();
    const disturbed = DISTURBANCES.some((measure) => (cost[measure] ?? 0) !== 0);
    if (disturbed && repeated++ === MOST_REPEATED)
      throw new Error(`every sample was disturbed: ${JSON.stringify(cost)}`);
    if (!disturbed) taken.push(cost);
  }
  const measures = Object.keys(taken[0]!).filter((measure) => !DISTURBANCES.includes(measure));
  return Object.fromEntries(measures.map((measure) => [measure, Math.min(...taken.map((cost) => cost[measure]!))]));
}
