/** Why an item waits, beside the other columns of its row. */
import type { Waiting } from '../../core/work/waiting.ts';

/** What a statement selects of `why_waiting`, or of `after_submission`, as `y`. All are null where nothing waits. */
export const WAITING_COLUMNS = 'y.reason, y.why, y.ends, y.since, y.until, y.who, y.work_items';
export type WaitingColumns = { readonly [Key in keyof Waiting]: Waiting[Key] | null };

/** A row with these columns, with what they say under `waiting`. */
export function waitingRow<Row extends WaitingColumns>(
  row: Row,
): Omit<Row, keyof Waiting> & { readonly waiting: Waiting | null } {
  const { reason, why, ends, since, until, who, work_items, ...others } = row;
  return {
    ...others,
    waiting: reason === null ? null : ({ reason, why, ends, since, until, who, work_items } as Waiting),
  };
}
