/** What the loop knows of the limits of its work. */
import type { UsedBudget } from '../../store/transcript/begin-turn.ts';
import type { KeepTurn } from '../../store/transcript/budgeted-turns.ts';

export interface FocusBudget {
  /** Whether limits apply. The loop sets it when the database refuses a turn for which nothing is held. */
  limited: boolean;
  readonly keepTurn: KeepTurn;
  /** Called once for each limit of which 80 % are used. */
  readonly onUsed: (used: UsedBudget) => void;
}

/** Why a turn was refused with the permit `budget`, and what follows. */
export interface Exceeded {
  readonly action: 'wait' | 'die';
  /** Names the limit that would be exceeded. */
  readonly message: string;
  /** There, with `die`: a model has no price, and the limit would have the work wait. */
  readonly unpriced?: true;
}
