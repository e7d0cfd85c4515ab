/** How the engage loop can end. */
import type { LlmFailure } from '../../llm/client.ts';
import type { LastAnswer } from '../turn/record-answer.ts';
import type { HeldOutcome } from './outcome.ts';

/** Why the loop ended. `interrupted`: stopped at a turn boundary; the item goes back to the queue and the focus continues later. */
export type EngageEnd =
  | EngageDone
  | { readonly kind: 'interrupted'; readonly reason: 'drained' | 'paused' | 'budget_busy' }
  /**
   * Calls of the newest turn wait and all others have ended, or the next turn is under way in a batch. The focus continues when the
   * waits are resolved.
   */
  | { readonly kind: 'parked' }
  | { readonly kind: 'cancelled' }
  /** A limit is used up, and the work is to end. `unpriced`: it would wait, but a model has no price. */
  | { readonly kind: 'over_budget'; readonly message: string; readonly unpriced?: true }
  | { readonly kind: 'failed'; readonly code: EngageFailure; readonly message: string }
  | { readonly kind: 'model_failed'; readonly failure: LlmFailure };

/** The loop is done; consolidate follows. */
export interface EngageDone {
  readonly kind: 'done';
  readonly finalText: string;
  readonly outcome: HeldOutcome;
  /** From an external command; if it is missing, a summary is made from text and outcome. */
  readonly summary?: string;
  /** Why messages that come before the end can no longer be read; if it is missing, the run goes on with them. */
  readonly unread?: string;
  /** There if it is not recorded yet: it is recorded with the end, in one transaction. */
  readonly lastAnswer?: LastAnswer;
}

export type EngageFailure =
  | 'hook_blocked'
  | 'max_turns'
  | 'refused'
  | 'empty_answer'
  | 'context_overflow'
  | 'cut_answers'
  | 'repeated_call'
  | 'no_progress'
  | 'outcome_invalid';
