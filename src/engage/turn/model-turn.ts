/** One model call: permitted, sent, recorded. */
import type { BatchFormat } from '../../llm/batch/batch-format.ts';
import type { LlmFailure, Message, Usage } from '../../llm/client.ts';
import type { Database } from '../../store/sql/database.ts';
import type { TurnPermit } from '../../store/transcript/begin-turn.ts';
import { type FocusKey } from '../../store/transcript/focus-row.ts';
import { answeredTurn, type RecordedTurn } from '../../store/transcript/turns.ts';
import { span } from '../../telemetry/spans.ts';
import type { EarlyCalls } from '../calls/early-calls.ts';
import type { Journal } from '../calls/journal.ts';
import { askInBatch } from './batch-turn.ts';
import { type AskedModel, attributesOf, type CallMeans, callModel, requestOf } from './call-model.ts';
import type { Exceeded } from './focus-budget.ts';
import { measure } from './measure-answer.ts';
import {
  type Answered,
  begin,
  begunAgain,
  leaveUnrecorded,
  recordAlone,
  recordWhole,
  type TurnReserves,
  type UnrecordedTurn,
} from './record-answer.ts';
import { settleStopped } from './settle-stopped.ts';
import type { TurnTime } from './turn-time.ts';
import type { UnsentTurn } from './unsent-turn.ts';

/** The model of a focus, with everything fixed that does not change from turn to turn. */
export interface FocusModel extends AskedModel {
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
interface FocusBatch {
  readonly format: BatchFormat;
  /** Where the batches of its provider are, whatever its name is later. */
  readonly place: string;
  /** US dollars for a turn's tokens; null if the model has no price. */
  costUsd(usage: Usage): number | null;
}

/** The dependencies of a model call. */
export interface TurnMeans extends CallMeans {
  readonly db: Database;
  readonly focus: FocusKey;
  readonly model: FocusModel;
  readonly journal: Journal;
  readonly time: TurnTime;
  /** The permit of a turn that was begun together with its focus, once; null for any other turn. */
  readonly takeBegun: (turn: number) => TurnPermit | null;
  /** Whether the answer ends the run and may be recorded with the end. */
  readonly endsWith: (turn: RecordedTurn) => Promise<boolean>;
  /** The turn with its calls in the states in which they are recorded: pending, or started. */
  readonly withPending: (turn: RecordedTurn) => Promise<RecordedTurn>;
  /** Starts the calls of an answer that may run before it is recorded. */
  readonly startEarly: (turn: RecordedTurn) => EarlyCalls;
  /** True if nothing else has to be recorded between this turn, all of whose calls have ended, and the next request. */
  readonly goesStraightOn: (turn: RecordedTurn) => boolean;
  /** The number of messages of people in the request that no answer has followed. */
  readonly knownMail: number;
  /** The messages of the request after this turn, if the loop goes straight on. */
  readonly messagesAfter: (turn: RecordedTurn) => readonly Message[];
  readonly reserves: TurnReserves;
  readonly inBatch: boolean;
  readonly unsent: UnsentTurn;
}

/** A turn that was begun, or refused, with the record of the one before it, and the messages of its request. */
export interface BegunTurn {
  readonly permit: TurnPermit;
  readonly messages: readonly Message[];
}

export type ModelTurn =
  /** Its calls are still to be run; `early` has those that were started. `unrecorded`: `endsWith` left the recording to the end of the focus. */
  | {
      readonly kind: 'recorded';
      readonly turn: RecordedTurn;
      readonly early?: EarlyCalls;
      readonly unrecorded?: UnrecordedTurn;
    }
  /** Its calls have ended, and the next turn was begun, or refused, in the same statement. */
  | { readonly kind: 'recorded_whole'; readonly turn: RecordedTurn; readonly next: BegunTurn }
  | { readonly kind: 'refused'; readonly permit: Exclude<TurnPermit, 'go'>; readonly exceeded?: Exceeded }
  /** Its request is under way in a batch: the answer wakes the focus. */
  | { readonly kind: 'parked' }
  | { readonly kind: 'failed'; readonly failure: LlmFailure };

/**
 * Calls the model for turn `turn`, unless `begun` says that it was refused. The results of the previous turn are committed before they are
 * sent, and durable together with the answer before this resolves. Calls that only read are started while the answer is being recorded. Where
 * they end at once and nothing else has to be recorded, the next turn is begun with the answer: such a turn needs one statement.
 * Other turns need two, and only the second waits for the disk. All are retried while the database is unreachable and the lease
 * lasts: an answer that was paid for is kept in memory until it can be recorded.
 */
export async function takeModelTurn(
  turn: number,
  messages: readonly Message[],
  means: TurnMeans,
  begun?: TurnPermit,
): Promise<ModelTurn> {
  if (!means.model.batch) means.unsent.begins(turn);
  const permit = begun ?? means.takeBegun(turn) ?? (await begin(turn, means));
  if (permit !== 'go') {
    means.unsent.isOver();
    return { kind: 'refused', permit };
  }
  means.signal.throwIfAborted();

  const asked = means.model.batch
    ? await callInBatch(turn, messages, means.model.batch, means)
    : await callLive(turn, messages, means);
  if (asked.kind !== 'answered') {
    means.signal.throwIfAborted();
    return asked;
  }
  const { answer, isLast } = await judged(turn, asked, means);
  if (asked.requestId !== null) return alone(answer, await recordAlone(answer, asked, means));
  if (isLast) return { kind: 'recorded', turn: answer, unrecorded: leaveUnrecorded(answer, asked, means) };
  const early = means.startEarly(answer);
  const taken = await recordBeside(early, answer, asked, means).catch(async (error: unknown) => {
    await early.stop(error);
    throw error;
  });
  if (taken.kind === 'refused') await early.stop(new Error(`the turn was ${taken.permit}`));
  return taken;
}

/** The turn as it is recorded, and whether the end of the focus records it: not where requests were lost, which would be forgotten if that failed. */
async function judged(
  turn: number,
  { response, requestId }: Answered,
  means: TurnMeans,
): Promise<{ readonly answer: RecordedTurn; readonly isLast: boolean }> {
  const { lost = 0 } = response;
  try {
    means.signal.throwIfAborted();
    const answer = await means.withPending(answeredTurn(turn, response));
    return { answer, isLast: requestId === null && lost === 0 && (await means.endsWith(answer)) };
  } catch (error) {
    // The answer is lost, too. Nothing was written that would count it.
    if (requestId === null) await settleStopped(turn, lost + 1, means);
    throw error;
  }
}

/** Records the answer while the first of its calls run. */
async function recordBeside(
  early: EarlyCalls,
  answer: RecordedTurn,
  asked: Answered,
  means: TurnMeans,
): Promise<ModelTurn> {
  const whole = await means.time.elsewhere(early.wholeTurn());
  if (whole === null || !means.goesStraightOn(whole.turn)) {
    return alone(answer, await recordAlone(answer, asked, means), early);
  }
  const [kept, messages] = await Promise.all([recordWhole(whole, asked, means), prepareNext(whole.turn, means)]);
  if (typeof kept === 'string') return { kind: 'refused', permit: kept };
  return { kind: 'recorded_whole', turn: whole.turn, next: { permit: kept.next, messages } };
}

/** Writes the next request while the record is on its way to the disk. */
async function prepareNext(turn: RecordedTurn, means: TurnMeans): Promise<readonly Message[]> {
  // The record is sent in the meantime.
  await new Promise(setImmediate);
  const messages = means.messagesAfter(turn);
  means.model.client.prepare?.(requestOf(turn.turn + 1, messages, means));
  return messages;
}

function alone(turn: RecordedTurn, refused: Exclude<TurnPermit, 'go'> | null, early?: EarlyCalls): ModelTurn {
  if (refused !== null) return { kind: 'refused', permit: refused };
  return { kind: 'recorded', turn, ...(early && { early }) };
}

async function callLive(
  turn: number,
  messages: readonly Message[],
  means: TurnMeans,
): Promise<Answered | Extract<ModelTurn, { kind: 'failed' }>> {
  means.onEvent({ type: 'turn_started', turn, model: means.model.model });
  means.unsent.isOver();
  const result = await means.time.elsewhere(callModel(turn, messages, means));
  if (!result.ok) {
    const { failure } = result;
    if (means.signal.aborted) await settleStopped(turn, failure.lost, means);
    return { kind: 'failed', failure };
  }
  const { response } = result;
  const cost = response.usage && means.model.costUsd(response.usage);
  return { kind: 'answered', response, cost, requestId: null };
}

/** A request that is under way waits with the results before it: these must be durable, too. */
async function callInBatch(
  turn: number,
  messages: readonly Message[],
  batch: FocusBatch,
  means: TurnMeans,
): Promise<Answered | Extract<ModelTurn, { kind: 'failed' | 'refused' | 'parked' }>> {
  const ask = () => askInBatch(turn, requestOf(turn, messages, means), batch, means);
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
      const cost = response.usage && batch.costUsd(response.usage);
      await span('chat', attributesOf(means), async (chat) => measure(chat, response, means));
      return { kind: 'answered', response, cost, requestId };
    }
    default:
      return asked satisfies never;
  }
}
