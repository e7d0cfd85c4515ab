/** One model call: permitted, sent, recorded. */
import type { LlmClient, LlmEvent, LlmFailure, LlmRequest, Message, ToolSpec, Usage } from '../llm/client.ts';
import type { Database } from '../store/database.ts';
import { beginTurn, type FocusKey, type RecordedTurn, recordTurn, type TurnPermit } from '../store/transcript.ts';
import { record, span } from '../telemetry/signals.ts';
import type { FocusListener } from './events.ts';
import type { Journal } from './journal.ts';

/** The model of a focus, with everything fixed that does not change from turn to turn. */
export interface FocusModel {
  readonly client: LlmClient;
  readonly provider: string;
  /** As the provider knows it. */
  readonly model: string;
  readonly settings: Omit<LlmRequest, 'model' | 'system' | 'tools' | 'messages' | 'turn'>;
  /** US dollars for a call's tokens; 0 where the model has no price. */
  costUsd(usage: Usage): number;
}

export interface TurnMeans {
  readonly db: Database;
  readonly focus: FocusKey;
  readonly model: FocusModel;
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly journal: Journal;
  readonly signal: AbortSignal;
  readonly onEvent: FocusListener;
}

export type ModelTurn =
  | { readonly kind: 'recorded'; readonly turn: RecordedTurn }
  | { readonly kind: 'refused'; readonly permit: Exclude<TurnPermit, 'go'> }
  | { readonly kind: 'failed'; readonly failure: LlmFailure };

/**
 * Asks the model for turn `turn`. The answer is durable before this resolves, and so are the results of the turn before:
 * about two commits stand on the path of a turn.
 */
export async function takeModelTurn(turn: number, messages: readonly Message[], means: TurnMeans): Promise<ModelTurn> {
  const permit = await beginTurn(means.db, means.focus, turn, 0);
  if (permit !== 'go') return { kind: 'refused', permit };
  means.signal.throwIfAborted();

  means.onEvent({ type: 'turn_started', turn, model: means.model.model });
  const result = await callModel(turn, messages, means);
  means.signal.throwIfAborted();
  if (!result.ok) return { kind: 'failed', failure: result.failure };

  const { response } = result;
  await means.journal.flush();
  const cost = response.usage ? means.model.costUsd(response.usage) : 0;
  const recorded = await recordTurn(means.db, means.focus, turn, response, cost);
  means.onEvent({
    type: 'turn_recorded',
    turn,
    text: textOf(recorded),
    calls: recorded.calls.length,
    inputTokens: response.usage?.input ?? null,
    outputTokens: response.usage?.output ?? null,
  });
  return { kind: 'recorded', turn: recorded };
}

/** The text of an answer, its blocks joined. */
export function textOf(turn: Pick<RecordedTurn, 'content'>): string {
  return turn.content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('')
    .trim();
}
