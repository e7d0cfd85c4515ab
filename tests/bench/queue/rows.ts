/** (f) A million rows: bulk insert and size, compared with graphile-worker, and the commands that look for a few rows among them. */

import { readSpend } from '../../../src/features/budgets/spend.ts';
import { readSpendItems, readSpendRoots } from '../../../src/features/budgets/spend-items.ts';
import { readStatus } from '../../../src/features/operate/status/status.ts';
import { listWork } from '../../../src/operations/read-work.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { findWork } from '../../../src/store/views/find-work.ts';
import { fillQueue } from '../../store/work/fill-queue.ts';
import type { BenchQueue } from './queue.ts';
import { median } from './scenarios.ts';
import { type BenchServer, withPool } from './server.ts';

/** Inserts `rows` jobs in one statement; returns the rate, and the size in MiB of all tables and indexes of the queue. */
export async function fill(queue: BenchQueue, rows: number): Promise<Record<string, number>> {
  const before = performance.now();
  await queue.enqueueMany(rows);
  const took = performance.now() - before;
  const size = await withPool(queue.url, async (db) => {
    const [row] = await db.query<{ mib: number }>(SIZE);
    return row!.mib;
  });
  return { 'inserts per s': (rows / took) * 1000, MiB: size };
}

const SIZE = `
  select sum(pg_total_relation_size(c.oid))::float8 / 1048576 as mib from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.relkind = 'r' and n.nspname in ('animus', 'pgmq', 'graphile_worker')`;

/** Milliseconds of lists with ten matches, of an end of an id that no item has, and of a status, among `rows` queued and among `rows` ended items. */
export async function views(server: BenchServer, rows: number, print: (line: string) => void): Promise<void> {
  for (const [name, rest] of [
    ['queued', { queued: { noop: rows } }],
    ['completed', { resolved: rows }],
  ] as const) {
    await withPool(
      await server.migrated(),
      async (db) => {
        await fillQueue(db, rest);
        await db.query(RARE);
        await db.query(SPENT, [rows]);
        // As autovacuum does.
        await db.query('vacuum analyze animus.work_items');
        await db.query('vacuum analyze animus.spend_sums');
        print(
          `\n${rows} ${name} items and ${rows} rows of spend: milliseconds, the first time and the median of 9 more`,
        );
        for (const [label, run] of Object.entries(COMMANDS)) {
          const times: number[] = [];
          for (let n = 0; n < 10; n++) {
            const before = performance.now();
            await run(db);
            times.push(performance.now() - before);
          }
          print(
            `  ${label.padEnd(44)} ${times[0]!.toFixed(1).padStart(8)} ${median(times.slice(1)).toFixed(1).padStart(8)}`,
          );
        }
      },
      1,
    );
  }
}

const COMMANDS: Readonly<Record<string, (db: Database) => Promise<unknown>>> = {
  'work list --state queued': (db) => listWork(db, { state: 'queued', limit: 20 }),
  'work list --state completed': (db) => listWork(db, { state: 'completed', limit: 20 }),
  'work list --state dead': (db) => listWork(db, { state: 'dead', limit: 20 }),
  'work list --state cancelled': (db) => listWork(db, { state: 'cancelled', limit: 20 }),
  'work list --faculty rare': (db) => listWork(db, { faculty: 'rare', limit: 20 }),
  'work list --faculty nobody': (db) => listWork(db, { faculty: 'nobody', limit: 20 }),
  'work show 00000000abcd (no item)': (db) => findWork(db, '00000000abcd').catch(() => null),
  status: (db) => readStatus(db),
  'spend (30 days)': (db) => readSpend(db, ['faculty', 'model'], { since: daysAgo(29), until: null }, 50),
  'spend --by day,submitter (30 days)': (db) =>
    readSpend(db, ['day', 'submitter'], { since: daysAgo(29), until: null }, 50),
  'spend --by month (everything)': (db) => readSpend(db, ['month'], { since: '2000-01-01', until: null }, 50),
  'spend items --dearest (all items)': (db) => readSpendItems(db, 'dearest', { since: daysAgo(29), until: null }, 20),
  'spend items --slowest (all items)': (db) => readSpendItems(db, 'slowest', { since: daysAgo(29), until: null }, 20),
  'spend --by root (all items)': (db) => readSpendRoots(db, { since: daysAgo(29), until: null }, 20),
  'spend items --dearest (no item)': (db) =>
    readSpendItems(db, 'dearest', { since: '2000-01-01', until: '2000-02-01' }, 20),
};

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}

/** Ten items of a rare faculty that are queued, completed, dead and cancelled each. */
const RARE = `
  do $$ begin
    set local session_replication_role = replica;
    insert into animus.work_items (id, faculty, root_id, depth, state, created_at, updated_at, queue_msg_id, resolved_at)
    select id, 'rare', id, 0, state, now(), now(), nextval('pgmq.q_animus_work_msg_id_seq'), case when state <> 'queued' then now() end
      from (select animus.uuid_v7() as id, state from unnest(array['queued', 'completed', 'dead', 'cancelled']) state, generate_series(1, 10)) rare;
  end $$`;

/** Two thousand sums a day. */
const SPENT = `
  insert into animus.spend_sums (day, faculty, model, operation, submitter, usd, input_tokens, output_tokens, calls)
  select (now() at time zone 'UTC')::date - n / 2000, 'f' || n % 20, 'm' || n / 20 % 5, (array['turn', 'summary'])[1 + n / 100 % 2], 'p' || n / 200 % 10, 1, 1, 1, 1
    from generate_series(0, $1::int - 1) n`;
