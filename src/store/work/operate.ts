/** The operations of operators: thin calls of the SQL functions, each of which adds a row to animus.decisions. */
import type { WorkState } from '../../core/work/work.ts';
import type { Queryable } from '../sql/database.ts';
import { toText } from '../sql/json.ts';
import { readValue, readValues } from '../sql/read-value.ts';

/**
 * Cancels an item and its children: waiting work at once, running work cooperatively. Returns its state afterwards; what
 * had ended stays as it is. Operators may cancel any item, others those that they submitted. Default reason: who cancelled it, an operator or
 * the submitter. Errors: `work.not_found`, also for an item that the login may not see.
 */
export async function cancelWork(db: Queryable, id: string, reason?: string): Promise<WorkState> {
  return readValue<WorkState>(db, 'select animus.cancel_work($1::uuid, $2::text)', [id, toText(reason)]);
}

/**
 * Queues a dead or cancelled item again, with all its attempts. Returns its id, or that of the active item with the
 * same dedup key, which already does the work. Errors: `work.not_found`, `work.state`.
 */
export async function retryWork(db: Queryable, id: string): Promise<string> {
  return readValue<string>(db, 'select animus.retry_work($1::uuid)', [id]);
}

/** What is to be changed; what is missing stays as it is. */
export interface WorkChange {
  readonly priority?: number | undefined;
  /** In the past: as soon as possible. */
  readonly runAt?: Date | undefined;
  /** Only before the first focus. */
  readonly description?: string | undefined;
  /** The `updated_at` that the caller has read: what has changed since stays as it is. */
  readonly seen?: Date | undefined;
}

/** Changes queued or scheduled work. Errors: `work.not_found`, `work.state`, `work.invalid`, `work.locked`. */
export async function changeWork(
  db: Queryable,
  id: string,
  { priority, runAt, description, seen }: WorkChange,
): Promise<{ readonly state: WorkState; readonly updated_at: Date }> {
  const [row] = await db.query<{ state: WorkState; updated_at: Date }>(
    'select state, updated_at from animus.change_work($1::uuid, $2::int, $3::timestamptz, $4::text, $5::timestamptz)',
    [id, priority ?? null, runAt ?? null, toText(description), seen ?? null],
  );
  return row!;
}

/** Every faculty. */
export const ALL_FACULTIES = '*';

/** No new claims and no further model call for the faculty, until resumed. */
export async function pauseFaculty(db: Queryable, faculty: string, reason?: string): Promise<void> {
  await db.query(`select animus.pause($1, coalesce($2, 'paused by an operator'))`, [faculty, toText(reason)]);
}

/** Lifts a pause; false when there was none. A pause of every faculty is a pause of its own. */
export async function resumeFaculty(db: Queryable, faculty: string): Promise<boolean> {
  return readValue<boolean>(db, 'select animus.resume($1)', [faculty]);
}

/** The faculties that are paused. */
export async function pausedFaculties(db: Queryable): Promise<string[]> {
  return readValues<string>(
    db,
    'select faculty from animus.pauses where until is null or until > animus.now() order by faculty',
  );
}
