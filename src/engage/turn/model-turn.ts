/** One model call: permitted, sent, recorded. */
import { isAnimusError } from '../../core/errors/errors.ts';
import type { BatchFormat } from '../../llm/batch/batch-format.ts';
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
import { closeRequest } from '../../store/transcript/batch-requests.ts';
import { type FocusKey } from '../../store/transcript/focus-row.ts';
import { beginTurn, type RecordedTurn, recordTurn, type TurnPermit } from '../../store/transcript/turns.ts';
import { count } from '../../telemetry/metrics.ts';
import { span } from '../../telemetry/spans.ts';
import type { Journal } from '../calls/journal.ts';
import { withinLease } from '../calls/within-lease.ts';
import type { FocusListener } from '../events/events.ts';
import { askInBatch } from './batch-turn.ts';
import { measure } from './measure-answer.ts';
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
  /** There if turns are asked in batches. */
  readonly batch?: FocusBatch;
  /** US dollars for a live call's tokens; 0 if the model has no price. */
  costUsd(usage: Usage): number;
}

/** How the turns of a focus are asked in batches. */
interface FocusBatch {
  readonly format: BatchFormat;
  /** US dollars for a turn's tokens; 0 if the model has no price. */
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
  /** Its request is under way in a batch: the answer wakes the focus. */
  | { readonly kind: 'parked' }
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

  const asked = means.model.batch
    ? await callInBatch(turn, messages, means.model.batch, means)
    : await callLive(turn, messages, means);
  means.signal.throwIfAborted();
  if (asked.kind !== 'answered') return asked;

  const { response, cost } = asked;
  const recorded = await withinLease(() => keep(turn, asked, means), means.signal);
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

/** An answer and what it costs; `requestId` is its request in a batch. */
interface Answered {
  readonly kind: 'answered';
  readonly response: LlmResponse;
  readonly cost: number;
  readonly requestId: string | null;
}

async function callLive(
  turn: number,
  messages: readonly Message[],
  means: TurnMeans,
): Promise<Answered | Extract<ModelTurn, { kind: 'failed' }>> {
  means.onEvent({ type: 'turn_started', turn, model: means.model.model });
  const result = await means.time.elsewhere(callModel(turn, messages, means));
  if (!result.ok) return { kind: 'failed', failure: result.failure };
  const { response } = result;
  const cost = response.usage ? means.model.costUsd(response.usage) : 0;
  return { kind: 'answered', response, cost, requestId: null };
}

/** A request that is under way waits with the results before it: these must be durable, too. */
async function callInBatch(
  turn: number,
  messages: readonly Message[],
  batch: FocusBatch,
  means: TurnMeans,
): Promise<Answered | Extract<ModelTurn, { kind: 'failed' | 'refused' | 'parked' }>> {
  const ask = () => askInBatch(turn, requestOf(turn, messages, means), batch.format, means);
  const asked = await begunAgain(turn, means, ask);
  if (typeof asked === 'string') return { kind: 'refused', permit: asked };
  switch (asked.kind) {
    case 'put':
      means.onEvent({ type: 'turn_started', turn, model: means.model.model });
      means.journal.kept();
      return { kind: 'parked' };
    case 'parked':
      return { kind: 'parked' };
    case 'failed':
      return asked;
    case 'answered': {
      const { response, requestId } = asked;
      const cost = response.usage ? batch.costUsd(response.usage) : 0;
      await span('chat', attributesOf(means), async (chat) => measure(chat, response, means));
      return { kind: 'answered', response, cost, requestId };
    }
    default:
      return asked satisfies never;
  }
}

/** Makes the answer durable, or returns why it may not be recorded any more. */
function keep(
  turn: number,
  { response, cost, requestId }: Answered,
  means: TurnMeans,
): Promise<RecordedTurn | Exclude<TurnPermit, 'go'>> {
  const { db, focus } = means;
  return begunAgain(turn, means, () => {
    if (requestId === null) return recordTurn(db, focus, turn, response, cost);
    return db.transaction(async (tx) => {
      const recorded = await recordTurn(tx, focus, turn, response, cost);
      await closeRequest(tx, focus, requestId, 'recorded');
      return recorded;
    });
  });
}

/** Writes to a begun turn. */
async function begunAgain<T>(
  turn: number,
  means: TurnMeans,
  write: () => Promise<T>,
): Promise<T | Exclude<TurnPermit, 'go'>> {
  try {
    return await write();
  } catch (error) {
    if (!isAnimusError(error, 'work.state')) throw error;
    // The server has crashed since and lost the beginning of the turn, which does not wait for the disk: write it again, with the ends of calls.
    const again = await begin(turn, means);
    return again === 'go' ? write() : again;
  }
}

function requestOf(turn: number, messages: readonly Message[], means: TurnMeans): LlmRequest {
  const { model, settings } = means.model;
  return { ...settings, model, system: means.systemPrompt, tools: means.toolSpecs, messages, turn };
}

function attributesOf({ model: { provider, model } }: TurnMeans) {
  return { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': provider, 'gen_ai.request.model': model };
}

async function callModel(turn: number, messages: readonly Message[], means: TurnMeans): Promise<LlmResult> {
  const { client, timeouts } = means.model;
  return span('chat', attributesOf(means), async (chat) => {
    const result = await client.complete(requestOf(turn, messages, means), {
      signal: means.signal,
      timeouts,
      canDiscard: true,
      onEvent: (event) => passOn(turn, event, means.onEvent),
    });
    if (result.ok) measure(chat, result.response, means);
    else chat.fail(result.failure.kind);
    return result;
  });
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
