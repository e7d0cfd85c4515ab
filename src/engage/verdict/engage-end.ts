/** How the engage loop can end. */
import type { LlmFailure } from '../../llm/client.ts';
import type { Outcome } from './outcome.ts';

/** Why the loop ended. `interrupted` at a turn boundary: the item goes back to the queue and the focus on later. */
export type EngageEnd =
  | EngageDone
  | { readonly kind: 'interrupted'; readonly reason: 'drained' | 'paused' }
  /** Calls of the newest turn wait, all others have ended: the focus goes on when the waits are resolved. */
  | { readonly kind: 'parked' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly code: EngageFailure; readonly message: string }
  | { readonly kind: 'model_failed'; readonly failure: LlmFailure };

/** The loop is done; consolidate follows. */
export interface EngageDone {
  readonly kind: 'done';
  readonly finalText: string;
  readonly outcome: Outcome;
  /** Said by an external command; without it, one is made of text and outcome. */
  readonly summary?: string;
}

export type EngageFailure =
  | 'max_turns'
  | 'refused'
  | 'empty_answer'
  | 'context_overflow'
  | 'cut_answers'
  | 'repeated_call'
  | 'no_progress'
  | 'outcome_invalid';
