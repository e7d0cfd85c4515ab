/** One model call: permitted, sent, recorded. */
import { isAnimusError } from '../../core/errors/errors.ts';
import type {
  CompleteOptions,
  LlmClient,
  LlmEvent,
  LlmFailure,
  LlmRequest,
  LlmResponse,
  LlmResult,
  Message,
  ToolSpec,
  Usage,
} from '../../llm/client.ts';
import type { Database } from '../../store/sql/database.ts';
import { type FocusKey } from '../../store/transcript/focus-row.ts';
import { beginTurn, type RecordedTurn, recordTurn, type TurnPermit } from '../../store/transcript/turns.ts';
import { count, record } from '../../telemetry/metrics.ts';
import { span } from '../../telemetry/spans.ts';
import type { Journal } from '../calls/journal.ts';
import { withinLease } from '../calls/within-lease.ts';
import type { FocusListener } from '../events/events.ts';
import type { TurnTime } from './turn-time.ts';

/** The model of a focus, with everything fixed that does not change from turn to turn. */
export interface FocusModel {
  readonly client: LlmClient;
  readonly provider: string;
  /** As the provider knows it. */
  readonly model: string;
  /** Tokens of prompt and answer together. */
  readonly contextWindow: number;
  readonly settings: Omit<LlmRequest, 'model' | 'system' | 'tools' | 'messages' | 'turn'>;
  /** True: the model can hold an answer to a schema, but only where no tool can be called. Default false. */
  readonly closingTurn?: boolean;
  readonly timeouts: NonNullable<CompleteOptions['timeouts']>;
  /** US dollars for a call's tokens; 0 if the model has no price. */
  costUsd(usage: Usage): number;
}

/** The dependencies of a model call. */
export interface TurnMeans {
  readonly db: Database;
  readonly focus: FocusKey;
  /** The faculty's name, for metrics. */
  readonly faculty: string;
  readonly model: FocusModel;
  readonly systemPrompt: string;
  readonly toolSpecs: readonly ToolSpec[];
  readonly journal: Journal;
  readonly signal: AbortSignal;
  readonly onEvent: FocusListener;
  readonly time: TurnTime;
}

export type ModelTurn =
  | { readonly kind: 'recorded'; readonly turn: RecordedTurn }
  | { readonly kind: 'refused'; readonly permit: Exclude<TurnPermit, 'go'> }
  | { readonly kind: 'failed'; readonly failure: LlmFailure };

/**
 * Calls the model for turn `turn`. The results of the previous turn are committed before they are sent, and durable together with
 * the answer before this resolves: a turn needs two statements, and only the second waits for the disk. Both are retried while the database
 * is unreachable and the lease lasts: an answer that was paid for is kept in memory until it can be recorded.
 */
export async function takeModelTurn(turn: number, messages: readonly Message[], means: TurnMeans): Promise<ModelTurn> {
  const permit = await begin(turn, means);
  if (permit !== 'go') return { kind: 'refused', permit };
  means.signal.throwIfAborted();

  means.onEvent({ type: 'turn_started', turn, model: means.model.model });
  const result = await means.time.elsewhere(callModel(turn, messages, means));
  means.signal.throwIfAborted();
  if (!result.ok) return { kind: 'failed', failure: result.failure };

  const { response } = result;
  const cost = response.usage ? means.model.costUsd(response.usage) : 0;
  const recorded = await withinLease(() => keep(turn, response, cost, means), means.signal);
  if (typeof recorded === 'string') return { kind: 'refused', permit: recorded };
  means.journal.kept();
  if (cost > 0)
    count('work.budget.spent', cost, { faculty: means.faculty, model: `${recorded.provider}/${recorded.model}` });
  means.onEvent({
    type: 'turn_recorded',
    turn,
    model: `${recorded.provider}/${recorded.model}`,
    text: textOf(recorded),
    calls: recorded.calls.length,
    inputTokens: response.usage?.input ?? null,
    outputTokens: response.usage?.output ?? null,
  });
  return { kind: 'recorded', turn: recorded };
}

function begin(turn: number, { db, focus, journal, signal }: TurnMeans): Promise<TurnPermit> {
  return withinLease(() => journal.handOver((results) => beginTurn(db, focus, turn, 0, results)), signal);
}

/** Makes the answer durable, or returns why it must not be recorded any more. */
async function keep(
  turn: number,
  response: LlmResponse,
  cost: number,
  means: TurnMeans,
): Promise<RecordedTurn | Exclude<TurnPermit, 'go'>> {
  const write = () => recordTurn(means.db, means.focus, turn, response, cost);
  try {
    return await write();
  } catch (error) {
    if (!isAnimusError(error, 'work.state')) throw error;
    // The server has crashed since and lost the beginning of the turn, which does not wait for the disk: write it again, with the ends of calls.
    const again = await begin(turn, means);
    return again === 'go' ? write() : again;
  }
}

async function callModel(turn: number, messages: readonly Message[], means: TurnMeans): Promise<LlmResult> {
  const { client, provider, model, settings, timeouts } = means.model;
  const request = { ...settings, model, system: means.systemPrompt, tools: means.toolSpecs, messages, turn };
  return span(
    'chat',
    { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': provider, 'gen_ai.request.model': model },
    async (chat) => {
      const result = await client.complete(request, {
        signal: means.signal,
        timeouts,
        canDiscard: true,
        onEvent: (event) => passOn(turn, event, means.onEvent),
      });
      if (!result.ok) {
        chat.fail(result.failure.kind);
        return result;
      }
      const { response } = result;
      // The fallback that answered may belong to another provider.
      chat.set({
        'gen_ai.provider.name': response.provider,
        'gen_ai.response.model': response.model,
        'gen_ai.response.id': response.responseId,
        'gen_ai.response.finish_reasons': [response.rawStopReason ?? response.stopReason],
        'gen_ai.usage.input_tokens': response.usage?.input,
        'gen_ai.usage.output_tokens': response.usage?.output,
        'gen_ai.usage.cache_read.input_tokens': response.usage?.cacheRead,
        'gen_ai.usage.cache_creation.input_tokens': response.usage?.cacheWrite,
      });
      const labels = {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': response.provider,
        'gen_ai.request.model': model,
        'gen_ai.response.model': response.model,
      };
      record('gen_ai.client.operation.duration', response.durationMs / 1000, labels);
      if (response.timeToFirstTokenMs !== null) {
        record('gen_ai.client.operation.time_to_first_chunk', response.timeToFirstTokenMs / 1000, labels);
      }
      if (response.usage) {
        const cached = response.usage.cacheRead / Math.max(1, response.usage.input);
        record('work.context.cache_hit_ratio', cached, { faculty: means.faculty });
        record('gen_ai.client.token.usage', response.usage.input, { ...labels, 'gen_ai.token.type': 'input' });
        record('gen_ai.client.token.usage', response.usage.output, { ...labels, 'gen_ai.token.type': 'output' });
      }
      return result;
    },
  );
}

function passOn(turn: number, event: LlmEvent, onEvent: FocusListener): void {
  if (event.type === 'text') onEvent({ type: 'text', turn, text: event.text });
  if (event.type === 'restart') onEvent({ type: 'restart', turn });
}

/** The text of an answer, its blocks joined. Commentary counts only where the model said nothing else. */
export function textOf(turn: Pick<RecordedTurn, 'content'>): string {
  const texts = turn.content.filter((block) => block.type === 'text');
  const said = texts.filter(({ phase }) => phase !== 'commentary');
  const joined = (blocks: typeof texts) =>
    blocks
      .map(({ text }) => text)
      .join('')
      .trim();
  return joined(said) || joined(texts);
}
