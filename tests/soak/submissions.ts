/** What is submitted in the soak, and what operators do meanwhile. */
import type { Database } from '../../src/store/sql/database.ts';
import { KINDS } from '../support/workload/programme.ts';
import { POISON, STRANGER } from './hazards.ts';
import { CRAFT } from './worktree-work.ts';

/** Only pauses, slow commits and hazards, and work at a steady pace, so that what they cost ordinary work can be told. */
export const PAUSES_ONLY = process.env['ANIMUS_SOAK_PAUSES_ONLY'] === '1';
/** Approximate number of open items, unless work comes at a steady pace. */
const BACKLOG = 60;

/** One round of what people and other programs do, every 200 ms; `calm`: without hazards. */
export async function round(db: Database, n: number, calm: boolean): Promise<void> {
  await cancelNaps(db);
  await (PAUSES_ONLY ? submitSteadily(db, n) : fillBacklog(db, n));
  if (!calm) await submitHazards(db, n);
  // Who pauses a faculty delays its work on purpose.
  if (n % 20 === 0 && !PAUSES_ONLY) await db.query(`select animus.pause('slow')`);
  if (n % 20 === 3) await db.query(`select animus.resume('slow')`);
  if (n % 25 === 0) {
    await db.query(
      `select animus.cancel_work(id) from animus.work_items where description like 'wait %' and resolved_at is null order by id limit 1`,
    );
  }
  if (n % 25 === 10) {
    await db.query(
      `select animus.retry_work(id) from animus.work_items where state = 'cancelled' and description like 'wait %' order by id desc limit 1`,
    );
  }
  if (n === 1) {
    await db.query(
      `insert into animus.schedules (name, cron, faculty, description, missed) values ('ticks', '* * * * * *', 'worker', 'mark tick', 'once') on conflict do nothing`,
    );
  }
}

async function fillBacklog(db: Database, n: number): Promise<void> {
  const [open] = await db.query<{ n: number }>(
    'select count(*)::int as n from animus.work_items where resolved_at is null',
  );
  if (open!.n >= BACKLOG) return;
  for (const kind of KINDS) {
    await db.query(
      `insert into animus.work_items (faculty, description, priority) select $1, $2 || ' ' || gen_random_uuid(), $4 from generate_series(1, $3::int)`,
      [kind === 'slow' ? 'slow' : 'worker', kind, kind === 'mark' ? 10 : kind === 'nap' ? 1 : 3, n % 3],
    );
  }
  await db.query(`insert into animus.work_items (faculty, description) values ($1, $1 || ' ' || gen_random_uuid())`, [
    CRAFT,
  ]);
  await db.query(`select pgmq.send('animus_inbox', '{"faculty": "worker", "description": "mark mail"}')`);
}

/** Well below what the daemons can do, and at the same pace whatever happens to them. The schedule adds one a second. */
async function submitSteadily(db: Database, n: number): Promise<void> {
  const kind = KINDS[Math.floor(n / 10) % KINDS.length]!;
  if (n % 10 === 0)
    await db.query(`insert into animus.work_items (faculty, description) values ($1, $2 || ' ' || gen_random_uuid())`, [
      kind === 'slow' ? 'slow' : 'worker',
      kind,
    ]);
  if (n % 25 === 0)
    await db.query(`insert into animus.work_items (faculty, description) values ($1, $1 || ' ' || gen_random_uuid())`, [
      CRAFT,
    ]);
}

/** Poison about once a minute and a hostile server every ten seconds; where the cost of each is to be told, half as often. */
async function submitHazards(db: Database, n: number): Promise<void> {
  if (n % (PAUSES_ONLY ? 400 : 200) === 100)
    await db.query(`insert into animus.work_items (faculty, priority) values ($1, 20)`, [POISON]);
  if (n % (PAUSES_ONLY ? 100 : 50) === 25)
    await db.query(`insert into animus.work_items (faculty, priority) values ($1, 20)`, [STRANGER]);
}

export async function cancelNaps(db: Database): Promise<void> {
  await db.query(
    `select animus.cancel_work(id, 'awake') from animus.work_items
      where description like 'nap %' and state = 'running' and cancel_requested_at is null and turns > 0`,
  );
}
