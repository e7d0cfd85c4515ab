/** Completes items together with the answers that end them, in one statement for many. */
import type { Queryable } from '../sql/database.ts';
import { toJsonb, toText } from '../sql/json.ts';
import { batchWrites } from '../sql/write-batcher.ts';
import type { CompletedWork } from '../work/complete-batch.ts';

/** An item that is done with an answer that is not recorded yet. */
export interface CompletedFocus extends CompletedWork {
  readonly focusId: string;
  /** The turn of the answer; begun, and not recorded. */
  readonly turn: number;
  /** As `answerJson` returns it; without calls. */
  readonly answer: string;
}

/**
 * Records the answer and completes the item in one transaction; resolves when that is committed. False: nothing was written, and the two
 * have to be recorded one after the other, because the row is locked, the lease is lost, or the server has lost the beginning of the turn. May be
 * tried again (idempotent).
 */
export type CompleteFocus = (focus: CompletedFocus) => Promise<boolean>;

/** Combines the ends of a daemon's foci: those that arrive while a statement is running share the next one, at most `most` of them. */
export function createFocusCompleter(db: Queryable, most = 100): CompleteFocus {
  return batchWrites(async (foci: readonly CompletedFocus[]) => {
    const [row] = await db.query<{ ended: boolean[] }>(
      `select animus.complete_foci($1::uuid[], $2::bigint[], $3::jsonb[], $4::text[], $5::uuid[], $6::int[], $7::json[]) as ended`,
      [
        foci.map((focus) => focus.id),
        foci.map((focus) => focus.leaseToken),
        foci.map((focus) => toJsonb(focus.outcome)),
        foci.map((focus) => (focus.summary === null ? null : toText(focus.summary))),
        foci.map((focus) => focus.focusId),
        foci.map((focus) => focus.turn),
        foci.map((focus) => focus.answer),
      ],
    );
    return row!.ended;
  }, most);
}
