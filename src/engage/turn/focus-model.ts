/** The model of a focus. */
import type { BatchFormat } from '../../llm/batch/batch-format.ts';
import type { CompleteOptions, LlmClient, LlmRequest, Usage } from '../../llm/client.ts';

/** The model of a focus, with everything fixed that does not change from turn to turn. */
export interface FocusModel {
  readonly client: LlmClient;
  readonly provider: string;
  /** As the provider knows it. */
  readonly model: string;
  readonly settings: Omit<LlmRequest, 'model' | 'system' | 'tools' | 'messages' | 'turn'>;
  readonly timeouts: NonNullable<CompleteOptions['timeouts']>;
  /** Tokens of prompt and answer together. */
  readonly contextWindow: number;
  /** True: the model can hold an answer to a schema, but only where no tool can be called. Default false. */
  readonly closingTurn?: boolean;
  /** There if turns are asked in batches. */
  readonly batch?: FocusBatch;
  /** US dollars for a live call's tokens; null if the model has no price. */
  costUsd(usage: Usage): number | null;
  /** What a call costs at most, whichever model answers; null if one of them has no price. */
  maxCostUsd?(inputTokens: number, outputTokens: number): number | null;
}

/** How the turns of a focus are asked in batches. */
export interface FocusBatch {
  readonly format: BatchFormat;
  /** Where the batches of its provider are, whatever its name is later. */
  readonly place: string;
  /** US dollars for a turn's tokens; null if the model has no price. */
  costUsd(usage: Usage): number | null;
}
