/** What the requests of a call have cost when its focus was stopped meanwhile. */
import type { Database } from '../../store/sql/database.ts';
import { giveBackTurn, loseTurn } from '../../store/transcript/budgeted-turns.ts';
import type { FocusKey } from '../../store/transcript/focus-row.ts';

/**
 * Gives back what was reserved if none of them may have cost something (`lost` 0), or counts those that may have. `turn` 0: a side call. Tried
 * once, because the focus ends: where it cannot be written, one request counts when the focus goes on, or ends.
 */
export async function settleStopped(turn: number, lost: number, focus: FocusKey, db: Database): Promise<void> {
  // One request counts then anyway.
  if (lost === 1) return;
  await (lost === 0 ? giveBackTurn(db, focus, turn) : loseTurn(db, focus, turn, lost)).catch(() => {});
}
