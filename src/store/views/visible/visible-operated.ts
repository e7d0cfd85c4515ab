/** What operators set and see: runs of schedules. Rows keep the names of their columns. */
import type { Queryable } from '../../sql/database.ts';

export interface VisibleRun {
  readonly due_at: Date;
  /** The last one of several that were missed. */
  readonly until_at: Date;
  readonly result: string;
  readonly runs: number;
  readonly work_item_id: string | null;
}

/** The last runs of a schedule, newest first; none for who may not see all work. */
export async function readVisibleRuns(tx: Queryable, schedule: string, limit: number): Promise<VisibleRun[]> {
  return tx.query<VisibleRun>(
    `select due_at, until_at, result, runs, work_item_id from animus.visible_schedule_runs where schedule = $1
      order by due_at desc limit $2`,
    [schedule, limit],
  );
}

/** Whether there is a schedule of this name. Errors: `db.forbidden` for who may not see all work. */
export async function isVisibleSchedule(tx: Queryable, name: string): Promise<boolean> {
  await requireSeesAll(tx);
  return (await tx.query('select from animus.visible_schedules where name = $1', [name])).length > 0;
}

/** Errors: `db.forbidden` for who may not see all work. */
export async function requireSeesAll(tx: Queryable): Promise<void> {
  await tx.query('select animus.visible_all()');
}

/** Errors: `db.forbidden` for who is not an operator. */
export async function requireOperator(tx: Queryable): Promise<void> {
  await tx.query('select animus.visible_as_operator()');
}
