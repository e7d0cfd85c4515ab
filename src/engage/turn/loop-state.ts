/** What the loop of a focus works with: what the focus is, what this run of it has, and what it may reach. */
import type { OutcomeSchema } from '../../catalog/faculty/outcome-schema.ts';
import type { ToolSpec } from '../../llm/client.ts';
import type { FocusKey } from '../../store/transcript/focus-row.ts';
import type { CallsRun, Reach } from '../calls/reach.ts';
import type { BeforeRequest } from './before-request.ts';
import type { FocusBudget } from './focus-budget.ts';
import type { FocusModel } from './focus-model.ts';
import type { TurnTime } from './turn-time.ts';
import type { UnsentTurn } from './unsent-turn.ts';

/** What the focus is: nothing of it changes from turn to turn. */
export interface LoopFocus {
  readonly key: FocusKey;
  /** The faculty's name, for metrics. */
  readonly faculty: string;
  readonly model: FocusModel;
  /** With the tools, the beginning of every request. */
  readonly systemPrompt: string;
  readonly toolSpecs: readonly ToolSpec[];
  readonly limits: Limits;
  readonly bounds: ContextBounds;
}

/** What this run of the loop holds. */
export interface LoopRun extends CallsRun {
  /** Asks the loop to stop at the next turn boundary. */
  readonly drain: AbortSignal;
  readonly budget: FocusBudget;
  readonly time: TurnTime;
  /** Has turn 1, if something was reserved for it together with the focus. */
  readonly unsent: UnsentTurn;
}

/** What the loop may reach. */
export interface LoopReach extends Reach {
  /** Runs before each request; default nothing does. */
  readonly beforeRequest?: BeforeRequest | undefined;
  /**
   * The directory of the focus, where nothing but that stands between the last answer and the end of the focus: no hook and no worktree. As long as it was not made and
   * no command runs, the end records the last answer. Default: the loop records every answer.
   */
  readonly directory?: { isMade(): boolean } | undefined;
}

/** Limits of a run. */
export interface Limits {
  readonly maxTurns: number;
  /** The schema that the outcome must conform to; null: any text is accepted. */
  readonly outcomeSchema: OutcomeSchema | null;
  /** True: the model can be held to the schema in a closing turn only, so it gets one before a repair. Default false. */
  readonly closingTurn?: boolean;
}

/** Settings of a faculty that keep the context small, fixed for a focus. */
export interface ContextBounds {
  /** Share of the context window, 0.1 to 1, at which the history is compacted. Default 0.7. */
  readonly compactThreshold: number;
  /** Messages that a compaction keeps verbatim; the results the model has not seen are always kept. Default 10. */
  readonly compactKeepRecent: number;
  /** Turns without a ledger entry before the model is reminded of it; 0: never. Default 5. */
  readonly ledgerNudgeInterval: number;
  /** Whether closed blocks become stubs. Default true. */
  readonly truncateClosedBlocks: boolean;
}
