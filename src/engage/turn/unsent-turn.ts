/** A turn that was begun and whose request has not been sent: it is given back if it never will be. */
import type { Lease } from '../../core/lifecycle/lease.ts';
import type { Database } from '../../store/sql/database.ts';
import { giveBackTurn } from '../../store/transcript/budgeted-turns.ts';
import type { FocusKey } from '../../store/transcript/focus-row.ts';

/** Of one focus. A turn in a batch does not count: nothing is reserved for it before its request is in the outbox. */
export interface UnsentTurn {
  /** Say so before it is begun: if that fails, it may have been. */
  begins(turn: number): void;
  /** It is sent now, and may cost something; or it was not begun. */
  isOver(): void;
  /** Whether this turn may have been begun, and its request was not sent yet. */
  has(turn: number): boolean;
  /** Gives it back, if there is one. Never rejects: what cannot be written counts as lost when the focus goes on, or ends. */
  giveBack(): Promise<void>;
}

/** Writes nothing where the lease does not surely hold. */
export function createUnsentTurn(db: Database, focus: FocusKey, lease: Pick<Lease, 'holds'>): UnsentTurn {
  let unsent: number | null = null;
  return {
    begins: (turn) => void (unsent = turn),
    isOver: () => void (unsent = null),
    has: (turn) => unsent === turn,
    async giveBack() {
      const turn = unsent;
      unsent = null;
      if (turn !== null && lease.holds()) await giveBackTurn(db, focus, turn).catch(() => {});
    },
  };
}
