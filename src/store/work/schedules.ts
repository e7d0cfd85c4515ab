/** Schedules: thin calls of the SQL functions, and what `animus schedule` shows. */
import { AnimusError } from '../../core/errors/errors.ts';
import { didYouMean } from '../../core/errors/suggest.ts';
import type { Queryable } from '../sql/database.ts';
import { sqlState } from '../sql/database-errors.ts';
import { toJsonb, toText } from '../sql/json.ts';

/** What happens to missed runs: docs/schedules.md. */
export const MISSED_POLICIES = ['skip', 'once', 'all'] as const;
export type MissedPolicy = (typeof MISSED_POLICIES)[number];

/** What a run does that is due while an item of its schedule has not ended: docs/schedules.md. */
export const OVERLAP_POLICIES = ['allow', 'skip', 'queue'] as const;
export type OverlapPolicy = (typeof OVERLAP_POLICIES)[number];

/** Skipped due times, first and last; `runs` counts up to 1,000. */
export interface MissedRuns {
  readonly from: Date;
  readonly until: Date;
  readonly runs: number;
}

/** A schedule that a daemon must process now. Times are texts of the database: they go back unchanged, to be compared. */
export interface ScheduleLook {
  readonly name: string;
  readonly cron: string;
  readonly time_zone: string;
  readonly missed: MissedPolicy;
  readonly grace_seconds: number;
  readonly overlap: OverlapPolicy;
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
  const [row] = await db.query<{ due: DueSchedules }>('select animus.due_schedules($1) as due', [recheck]);
  return row!.due;
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
  const [row] = await db.query<{ ids: string[] | null }>(
    'select animus.fire_schedule($1, $2::timestamptz, $3::timestamptz, $4::timestamptz[], $5::jsonb, $6) as ids',
    [
      schedule.name,
      schedule.next_at,
      firing.nextAt,
      firing.due.map((time) => time.toISOString()),
      missed === null ? null : toJsonb({ ...missed }),
      firing.problem,
    ],
  );
  return row!.ids;
}

/** A schedule as a row of a list; the names of its columns are the machine interface (docs/cli.md). */
export interface Schedule {
  readonly name: string;
  readonly cron: string;
  readonly time_zone: string;
  readonly faculty: string;
  readonly description: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly missed: MissedPolicy;
  readonly grace_seconds: number;
  readonly overlap: OverlapPolicy;
  readonly paused: boolean;
  readonly problem: string | null;
  readonly next_at: Date | null;
  readonly last_at: Date | null;
  readonly created_at: Date;
  /** With `skip` and `queue`: the item that has not ended. */
  readonly open_item: string | null;
  /** Newest first, at most 5. */
  readonly runs: readonly ScheduleRun[];
}

/** A run that fired, or a stretch of runs that did not. */
export interface ScheduleRun {
  readonly due_at: string;
  readonly until_at: string;
  readonly result: 'fired' | 'missed' | 'manual' | 'skipped';
  readonly runs: number;
  readonly work_item_id: string | null;
}

/** All schedules by name, or the one of that name. */
export async function listSchedules(db: Queryable, name?: string): Promise<Schedule[]> {
  return db.query<Schedule>(
    `select s.name, s.cron, s.time_zone, s.faculty, left(s.description, 1048576) as description, s.params, s.missed, s.grace_seconds, s.overlap, s.paused, s.problem, s.next_at, s.last_at, s.created_at,
            case when s.overlap <> 'allow' then o.work_item_id end as open_item,
            (select coalesce(jsonb_agg(jsonb_build_object('due_at', r.due_at, 'until_at', r.until_at, 'result', r.result, 'runs', r.runs, 'work_item_id', r.work_item_id)), '[]')
               from (select * from animus.schedule_runs where schedule = s.name order by due_at desc limit 5) r) as runs
       from animus.schedules s left join animus.open_runs o on o.schedule = s.name where $1::text is null or s.name = $1 order by s.name`,
    [name ?? null],
  );
}

/** A schedule as people write it. */
export interface NewSchedule {
  readonly name: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly faculty: string;
  readonly description: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly missed: MissedPolicy;
  readonly graceSeconds: number;
  readonly overlap: OverlapPolicy;
  readonly paused: boolean;
}

/** Adds it; a daemon works out when it is due. Errors: `schedule.exists`. The expression is the caller's to check. */
export async function addSchedule(db: Queryable, schedule: NewSchedule): Promise<void> {
  const { name, cron, timeZone, faculty, description, params, missed, graceSeconds, overlap, paused } = schedule;
  try {
    await db.query(
      `insert into animus.schedules (name, cron, time_zone, faculty, description, params, missed, grace_seconds, paused, overlap)
       values ($1, $2, $3, $4, $5, $6::jsonb, $7, $8, $9, $10)`,
      [
        name,
        toText(cron),
        timeZone,
        faculty,
        toText(description),
        toJsonb(params),
        missed,
        graceSeconds,
        paused,
        overlap,
      ],
    );
  } catch (error) {
    if (sqlState(error) === '23505') throw new AnimusError('schedule.exists', { name }, { cause: error });
    throw error;
  }
}

/** Pauses or resumes it; true when that changed anything. Errors: `schedule.not_found`. */
export async function pauseSchedule(db: Queryable, name: string, paused: boolean): Promise<boolean> {
  const [row] = await db.query<{ was: boolean }>('select paused as was from animus.schedules where name = $1', [name]);
  if (row === undefined) throw await notFound(db, name);
  await db.query('update animus.schedules set paused = $2 where name = $1 and paused <> $2', [name, paused]);
  return row.was !== paused;
}

/** Runs its work now; its next run stays as it is. Returns the work item's id. Errors: `schedule.not_found`. */
export async function runSchedule(db: Queryable, name: string): Promise<string> {
  if ((await listSchedules(db, name)).length === 0) throw await notFound(db, name);
  const [row] = await db.query<{ id: string }>('select animus.run_schedule($1) as id', [name]);
  return row!.id;
}

/** Removes it with the record of its runs, and returns how many these were; their work items stay. Errors: `schedule.not_found`. */
export async function removeSchedule(db: Queryable, name: string): Promise<number> {
  const [gone] = await db.query<{ runs: number }>(
    `delete from animus.schedules s where name = $1
     returning (select count(*)::int from animus.schedule_runs r where r.schedule = s.name) as runs`,
    [name],
  );
  if (!gone) throw await notFound(db, name);
  return gone.runs;
}

/** The database's clock: the only one that counts for schedules. */
export async function databaseNow(db: Queryable): Promise<Date> {
  const [row] = await db.query<{ now: Date }>('select animus.now() as now');
  return row!.now;
}

async function notFound(db: Queryable, name: string): Promise<AnimusError> {
  const rows = await db.query<{ name: string }>('select name from animus.schedules order by name limit 1000');
  return new AnimusError('schedule.not_found', {
    name,
    hint: didYouMean(
      name,
      rows.map((row) => row.name),
    ),
  });
}
