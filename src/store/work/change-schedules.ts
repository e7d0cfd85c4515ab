/** Schedules, changed by an operator who acts through a gateway: thin calls of the SQL functions. Errors of all: `db.forbidden`. */
import { AnimusError, isAnimusError } from '../../core/errors/errors.ts';
import type { Queryable } from '../sql/database.ts';
import { sqlState } from '../sql/database-errors.ts';
import { toJsonb, toText } from '../sql/json.ts';
import type { NewSchedule } from './schedules.ts';

/** Adds it. The expression is the caller's to check. Errors: `schedule.exists`. */
export async function addScheduleAs(tx: Queryable, schedule: NewSchedule): Promise<void> {
  const { name, cron, timeZone, faculty, description, params, missed, graceSeconds, overlap, paused } = schedule;
  try {
    await tx.query('select animus.add_schedule($1, $2, $3, $4, $5, $6::jsonb, $7, $8, $9, $10)', [
      name,
      toText(cron),
      faculty,
      timeZone,
      toText(description),
      toJsonb(params),
      missed,
      graceSeconds,
      paused,
      overlap,
    ]);
  } catch (error) {
    if (sqlState(error) === '23505') throw new AnimusError('schedule.exists', { name }, { cause: error });
    throw error;
  }
}

/** Pauses or resumes it; true when that changed anything. Errors: `schedule.not_found`. */
export async function pauseScheduleAs(tx: Queryable, name: string, paused: boolean): Promise<boolean> {
  return found(name, async () => {
    const [row] = await tx.query<{ changed: boolean }>('select animus.pause_schedule($1, $2) as changed', [
      name,
      paused,
    ]);
    return row!.changed;
  });
}

/** Runs its work now and returns the work item's id. Errors: `schedule.not_found`. */
export async function runScheduleAs(tx: Queryable, name: string): Promise<string> {
  return found(name, async () => {
    const [row] = await tx.query<{ id: string }>('select animus.run_schedule($1) as id', [name]);
    return row!.id;
  });
}

/** Removes it with the record of its runs. Errors: `schedule.not_found`. */
export async function removeScheduleAs(tx: Queryable, name: string): Promise<void> {
  await found(name, () => tx.query('select animus.remove_schedule($1)', [name]));
}

async function found<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isAnimusError(error, 'work.not_found')) throw error;
    throw new AnimusError('schedule.not_found', { name, hint: '' }, { cause: error });
  }
}
