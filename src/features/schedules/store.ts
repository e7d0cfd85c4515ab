/** Schedules: the shapes of their rows, and thin calls of the SQL functions (docs/schedules.md). Errors of all changes: `db.forbidden`. */
import { AnimusError, isAnimusError } from '../../core/errors/errors.ts';
import { type RowOf, row } from '../../operations/row.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { sqlState } from '../../store/sql/database-errors.ts';
import { toJsonb, toText } from '../../store/sql/json.ts';
import { readValue } from '../../store/sql/read-value.ts';
import { requireSeesAll } from '../../store/views/visible/visible-operated.ts';

/** What happens to missed runs: docs/schedules.md. */
export const MISSED_POLICIES = ['skip', 'once', 'all'] as const;
export type MissedPolicy = (typeof MISSED_POLICIES)[number];

/** What a run does that is due while an item of its schedule has not ended: docs/schedules.md. */
export const OVERLAP_POLICIES = ['allow', 'skip', 'queue'] as const;

/** Skipped due times, first and last; `runs` counts up to 1,000. */
export interface MissedRuns {
  readonly from: Date;
  readonly until: Date;
  readonly runs: number;
}

/** A schedule that a daemon must process now. Times are texts of the database: they go back unchanged, to be compared. */
export interface ScheduleLook
  extends Pick<Schedule, 'name' | 'cron' | 'time_zone' | 'missed' | 'grace_seconds' | 'overlap'> {
  readonly next_at: string | null;
  /** It is late because its last item had not ended, not because nobody looked. */
  readonly held: boolean;
}

export interface DueSchedules {
  readonly now: string;
  readonly due: readonly ScheduleLook[];
  /** Until the next schedule is due; null: none is. */
  readonly next_in_ms: number | null;
}

/** What is due by the database's clock. `recheck`: also those that had a problem. */
export async function readDueSchedules(db: Queryable, recheck = false): Promise<DueSchedules> {
  return readValue<DueSchedules>(db, 'select animus.due_schedules($1)', [recheck]);
}

/** How a due schedule is processed. */
export interface Firing {
  readonly due: readonly Date[];
  readonly missed: MissedRuns | null;
  readonly nextAt: Date | null;
  /** Why there is no next time. */
  readonly problem: string | null;
}

/**
 * Fires it, unless another daemon was first, or the runs of the schedule are queued and its last item has not ended (null). Returns the ids of the
 * work items: fewer than are due where runs are skipped or queued.
 */
export async function fireSchedule(
  db: Queryable,
  schedule: ScheduleLook,
  firing: Firing,
): Promise<readonly string[] | null> {
  const { missed } = firing;
  return readValue<string[] | null>(
    db,
    'select animus.fire_schedule($1, $2::timestamptz, $3::timestamptz, $4::timestamptz[], $5::jsonb, $6)',
    [
      schedule.name,
      schedule.next_at,
      firing.nextAt,
      firing.due.map((time) => time.toISOString()),
      missed === null ? null : toJsonb({ ...missed }),
      firing.problem,
    ],
  );
}

/** A schedule as the API shows it. */
export const schedule = row(({ z, id, jsonObject, time }) =>
  z
    .object({
      name: z.string(),
      cron: z.string(),
      time_zone: z.string(),
      faculty: z.string(),
      description: z.string(),
      params: jsonObject(),
      missed: z.enum(MISSED_POLICIES),
      grace_seconds: z.int(),
      overlap: z.enum(OVERLAP_POLICIES).describe(OVERLAP),
      paused: z.boolean(),
      problem: z.string().nullable(),
      next_at: time().nullable(),
      last_at: time().nullable(),
      created_at: time(),
      open_item: id().nullable().describe('with `skip` and `queue`: the item that has not ended'),
    })
    .meta({ id: 'Schedule' }),
);
/** What `overlap` says. */
export const OVERLAP = 'what a run does that is due while an item of the schedule has not ended';

export interface Schedule extends RowOf<typeof schedule> {
  /** Newest first, at most 5; times as JSON has them. */
  readonly runs: readonly { readonly result: string; readonly runs: number }[];
}

/** All schedules by name, or the one of that name. Errors: `db.forbidden` for logins that may not see all work. */
export async function listSchedules(db: Queryable, name?: string): Promise<Schedule[]> {
  await requireSeesAll(db);
  return db.query<Schedule>(
    `select s.name, s.cron, s.time_zone, s.faculty, left(s.description, 1048576) as description, s.params, s.missed, s.grace_seconds, s.overlap, s.paused, s.problem, s.next_at, s.last_at, s.created_at,
            s.open_item,
            (select coalesce(jsonb_agg(jsonb_build_object('due_at', r.due_at, 'until_at', r.until_at, 'result', r.result, 'runs', r.runs, 'work_item_id', r.work_item_id)), '[]')
               from (select * from animus.visible_schedule_runs where schedule = s.name order by due_at desc limit 5) r) as runs
       from animus.visible_schedules s where $1::text is null or s.name = $1 order by s.name`,
    [name ?? null],
  );
}

/** A run that fired, or a stretch of runs that did not. */
export const scheduleRun = row(({ z, id, time }) =>
  z.object({
    due_at: time(),
    until_at: time().describe('the last one of several that were missed or skipped'),
    result: z.string().describe('fired, manual, missed or skipped'),
    runs: z.int(),
    work_item_id: id().nullable(),
  }),
);

/** The last runs of a schedule, newest first. Errors: `schedule.not_found`; `db.forbidden` for logins that may not see all work. */
export async function listRuns(db: Queryable, name: string, limit: number): Promise<RowOf<typeof scheduleRun>[]> {
  await requireSeesAll(db);
  const found = await db.query('select from animus.visible_schedules where name = $1', [name]);
  if (found.length === 0) throw notFound(name);
  return db.query(
    `select due_at, until_at, result, runs, work_item_id from animus.visible_schedule_runs where schedule = $1
      order by due_at desc limit $2`,
    [name, limit],
  );
}

/** A schedule as people write it. */
export type NewSchedule = Omit<Schedule, 'problem' | 'next_at' | 'last_at' | 'created_at' | 'open_item' | 'runs'>;

/** Adds it; a daemon works out when it is due. The expression is the caller's to check. Errors: `schedule.exists`. */
export async function addSchedule(db: Queryable, added: NewSchedule): Promise<void> {
  const { name, cron, faculty, time_zone: zone, missed, grace_seconds: grace, paused, overlap } = added;
  const texts = [name, toText(cron), faculty, zone, toText(added.description), toJsonb(added.params)];
  try {
    await db.query('select animus.add_schedule($1, $2, $3, $4, $5, $6::jsonb, $7, $8, $9, $10)', [
      ...texts,
      missed,
      grace,
      paused,
      overlap,
    ]);
  } catch (error) {
    if (sqlState(error) === '23505') throw new AnimusError('schedule.exists', { name }, { cause: error });
    throw error;
  }
}

/** Pauses or resumes it; true when that changed anything. Errors: `schedule.not_found`. */
export async function pauseSchedule(db: Queryable, name: string, paused: boolean): Promise<boolean> {
  return existing(name, () => readValue<boolean>(db, 'select animus.pause_schedule($1, $2)', [name, paused]));
}

/** Runs its work now; its next run stays as it is. Returns the work item's id. Errors: `schedule.not_found`. */
export async function runSchedule(db: Queryable, name: string): Promise<string> {
  return existing(name, () => readValue<string>(db, 'select animus.run_schedule($1)', [name]));
}

/** Removes it with the record of its runs, and returns how many these were; their work items stay. Errors: `schedule.not_found`. */
export async function removeSchedule(db: Queryable, name: string): Promise<number> {
  const sql = `select r.runs, animus.remove_schedule($1)
       from (select count(*)::int as runs from animus.visible_schedule_runs where schedule = $1) r`;
  const [gone] = await existing(name, () => db.query<{ runs: number }>(sql, [name]));
  return gone!.runs;
}

/** The database's clock: the only one that counts for schedules. */
export async function databaseNow(db: Queryable): Promise<Date> {
  return readValue<Date>(db, 'select animus.now()');
}

export function notFound(name: string, hint = ''): AnimusError {
  return new AnimusError('schedule.not_found', { name, hint });
}

/** Reports a schedule that does not exist as such. Errors: `schedule.not_found`. */
async function existing<T>(name: string, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    throw isAnimusError(error, 'work.not_found') ? notFound(name) : error;
  }
}
