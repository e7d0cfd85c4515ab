/**
 * What webhooks cost those who insert, claim and complete: `node tests/bench/queue/webhooks.ts [--rounds 12] [--items 300] [--batch 1]`. Processor time of the one
 * session, from /proc (Linux only), so a busy machine does not matter much, and bytes of WAL. `bare` has triggers without a word of webhooks.
 * About a minute.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { startFocus } from '../../../src/store/transcript/focus-row.ts';
import { type ClaimedWork, claimWork, completeWork } from '../../../src/store/work/work.ts';
import { claimable } from '../../support/begun-focus.ts';
import { median } from './scenarios.ts';
import { openBenchServer } from './server.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '12' },
    items: { type: 'string', default: '300' },
    batch: { type: 'string', default: '1' },
  },
});
const rounds = Number(values.rounds);
const items = Number(values.items);
/** How many are claimed and completed by one statement. */
const batch = Number(values.batch);
const FACULTY = 'webhooks';
const INTAKE = readFileSync(new URL('../../../migrations/functions/02_intake.sql', import.meta.url), 'utf8');
/** The two triggers without the look. */
const BARE = INTAKE.replace(/^ {2}if pg_sequence_last_value[^]*?^ {2}end if;\n/m, '').replace(
  /^ {2}if new\.state <> old\.state and pg_sequence_last_value[^]*?^ {2}end if;\n/m,
  '',
);
if (BARE.includes('animus.webhooks')) throw new Error('the triggers look otherwise');
/** As before the first one. */
const NONE = [`delete from animus.webhooks`, `select setval('animus.webhooks_number_seq', 1, false)`];
const FILTERED = `select animus.add_webhook(gen_random_uuid(), 'https://example.com/', array['work.dead'], '0123456789abcdef', array['other'])`;
const ASKED = `select animus.add_webhook(gen_random_uuid(), 'https://example.com/', animus.webhook_events(), '0123456789abcdef')`;

/** What stands in the database, by name. */
const STANDS: Readonly<Record<string, readonly string[]>> = {
  bare: [BARE, ...NONE],
  'no webhook': [INTAKE, ...NONE],
  'one that does not match': [INTAKE, 'delete from animus.webhooks', FILTERED],
  'one that wants all': [INTAKE, 'delete from animus.webhooks', ASKED],
};
const UNDONE = new Error('undone');
const STEPS = ['bulk insert of 5,000', 'single insert', 'claim', 'start', 'complete'] as const;
type Cost = { readonly us: number; readonly bytes: number };

const server = await openBenchServer();
try {
  const url = await server.migrated();
  const db = openPostgres(url, { poolSize: 1, prepare: true });
  await db.query('alter table animus.work_items set (autovacuum_enabled = off)');
  const costs = new Map<string, Cost[]>();
  for (let round = -1; round < rounds; round++) {
    // Each round in another order, so that no one always comes after the same.
    const names = Object.keys(STANDS);
    for (const name of names.map((_, n) => names[(n + round + names.length) % names.length]!))
      await measure(db, name, round, costs);
  }
  print(costs);
  await db.close();
} finally {
  await server.stop();
}

async function measure(db: Database, name: string, round: number, costs: Map<string, Cost[]>): Promise<void> {
  for (const statement of STANDS[name]!) await db.query(statement);
  await pass(db, 20, async () => {});
  await db.query('vacuum animus.work_items');
  await db.query('vacuum pgmq.q_animus_work');
  await pass(db, items, async (step, count, run) => {
    const cost = await costOf(db, run);
    if (round < 0) return;
    const key = `${step}\t${name}`;
    costs.set(key, [...(costs.get(key) ?? []), { us: cost.us / count, bytes: cost.bytes / count }]);
  });
  await db.query('truncate animus.webhook_deliveries');
}

type Measured = (step: (typeof STEPS)[number], count: number, run: () => Promise<void>) => Promise<void>;

/** Inserts, claims, begins and completes so many items, each step by itself. */
async function pass(db: Database, count: number, measured: Measured): Promise<void> {
  const step: Measured = async (name, of, run) => {
    let ran = false;
    await measured(name, of, async () => {
      ran = true;
      await run();
    });
    if (!ran) await run();
  };
  await step('bulk insert of 5,000', 5000, async () => {
    // Undone, so that the table stays as large as it is.
    await db
      .transaction(async (tx) => {
        await tx.query(
          `insert into animus.work_items (faculty, description) select 'unclaimed', n::text from generate_series(1, 5000) n`,
        );
        throw UNDONE;
      })
      .catch((error) => {
        if (error !== UNDONE) throw error;
      });
  });
  await step('single insert', count, async () => {
    for (let n = 0; n < count; n++)
      await db.query(`insert into animus.work_items (faculty, description) values ($1, 'x')`, [FACULTY]);
  });
  const works: Awaited<ReturnType<typeof claimWork>> = [];
  await step('claim', count, async () => {
    for (let n = 0; n < count; n += batch)
      works.push(...(await claimWork(db, randomUUID(), claimable(FACULTY, true), batch, 600)));
  });
  await step('start', count, async () => {
    const place = { host: 'bench', directoryRoot: '/nowhere', facultySnapshot: {}, systemPrompt: 'x', tools: [] };
    for (const work of works) await startFocus(db, work, place);
  });
  await step('complete', count, async () => {
    if (batch === 1) for (const work of works) await completeWork(db, work, {}, null);
    else for (let n = 0; n < works.length; n += batch) await completeAll(db, works.slice(n, n + batch));
  });
}

async function completeAll(db: Database, works: readonly ClaimedWork[]): Promise<void> {
  await db.query(
    `select animus.complete_works($1::uuid[], $2::bigint[], array_fill('{}'::jsonb, array[cardinality($1::uuid[])]))`,
    [works.map(({ id }) => id), works.map(({ leaseToken }) => leaseToken)],
  );
}

async function costOf(db: Database, run: () => Promise<void>): Promise<Cost> {
  const [session] = await db.query<{ pid: number }>('select pg_backend_pid() as pid');
  const before = { ns: cpuNs(session!.pid), bytes: await walOf(db) };
  await run();
  return { us: (cpuNs(session!.pid) - before.ns) / 1000, bytes: (await walOf(db)) - before.bytes };
}

function cpuNs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]);
}

async function walOf(db: Database): Promise<number> {
  const [row] = await db.query<{ bytes: string }>(
    `select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::text as bytes`,
  );
  return Number(row!.bytes);
}

function print(costs: ReadonlyMap<string, readonly Cost[]>): void {
  process.stdout.write(
    `\n| per item; medians of ${rounds} | ${Object.keys(STANDS).join(' | ')} |\n|---|---|---|---|---|\n`,
  );
  for (const step of STEPS) {
    const of = (name: string) => costs.get(`${step}\t${name}`) ?? [];
    const base = median(of('bare').map(({ us }) => us));
    const cells = Object.keys(STANDS).map((name) => {
      const us = median(of(name).map((cost) => cost.us));
      const bytes = median(of(name).map((cost) => cost.bytes));
      // The change of each round against `bare` in the same round.
      const pairs = of(name).map((cost, n) => cost.us - of('bare')[n]!.us);
      const more = name === 'bare' ? '' : ` (${((median(pairs) / base) * 100).toFixed(1)} %)`;
      return `${us.toFixed(2)} µs${more}, ${Math.round(bytes)} B`;
    });
    process.stdout.write(`| ${step} | ${cells.join(' | ')} |\n`);
  }
}
