/** Schedules that tests insert, and what became of them. */
import type { Database } from '../../../src/store/sql/database.ts';

/** What `insert` fills in. */
const DEFAULTS = {
  name: 's',
  time_zone: 'UTC',
  faculty: 'engineer',
  description: 'Look',
  params: {},
  missed: 'once',
  grace_seconds: 3600,
  overlap: 'allow',
};

/** Inserts a schedule; `cron` has no default. */
export async function insert(db: Database, schedule: object): Promise<void> {
  await db.query(
    `insert into animus.schedules (name, cron, time_zone, faculty, description, params, missed, grace_seconds, overlap, next_at)
     select name, cron, time_zone, faculty, description, params, missed, grace_seconds, overlap, next_at
       from jsonb_populate_record(null::animus.schedules, $1::jsonb)`,
    [JSON.stringify({ ...DEFAULTS, ...schedule })],
  );
}

/** The due times of all runs that fired, in the order of their work. */
export async function fired(db: Database): Promise<string[]> {
  const rows = await db.query<{ due: Date }>(
    `select (trigger_info ->> 'due_at')::timestamptz as due from animus.work_items where trigger_info ->> 'manual' = 'false' order by id`,
  );
  return rows.map((row) => row.due.toISOString());
}

/** The next time of the only schedule. */
export async function nextAt(db: Database): Promise<string | null> {
  const [row] = await db.query<{ next_at: Date | null }>('select next_at from animus.schedules');
  return row!.next_at?.toISOString() ?? null;
}

/** This time (UTC) on the first of January 2026. */
export function day(time: string): Date {
  return new Date(`2026-01-01T${time}:00Z`);
}
