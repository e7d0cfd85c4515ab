/** Asks the model for the answer of a turn that was begun: live, or in a batch. */
import type { LlmFailure, LlmResponse, Message } from '../../llm/client.ts';
import type { Database } from '../../store/sql/database.ts';
import { span } from '../../telemetry/spans.ts';
import { askInBatch } from './batch-turn.ts';
import { type OpenTurn, type Refusal, writeBegun } from './begin-turn.ts';
import { attributesOf, callModel, requestOf } from './call-model.ts';
import type { FocusBatch } from './focus-model.ts';
import type { LoopFocus, LoopRun } from './loop-state.ts';
import { measure } from './measure-answer.ts';
import { settleStopped } from './settle-stopped.ts';

/** The answer of a turn and what it costs; `requestId` is its request in a batch. */
export interface Answered {
  readonly kind: 'answered';
  readonly turn: OpenTurn;
  readonly response: LlmResponse;
  /** Null: not known. */
  readonly cost: number | null;
  readonly requestId: string | null;
}

/** `parked`: the request is under way in a batch, and the answer wakes the focus. */
export type Asked =
  | Answered
  | Refusal
  | { readonly kind: 'parked' }
  | { readonly kind: 'failed'; readonly failure: LlmFailure };

/** The answer that is paid for is only in memory then. Rejects when `signal` aborts. */
export async function askModel(
  turn: OpenTurn,
  messages: readonly Message[],
  focus: LoopFocus,
  run: LoopRun,
  db: Database,
): Promise<Asked> {
  run.signal.throwIfAborted();
  const { batch } = focus.model;
  const asked = batch
    ? await askByBatch(turn, messages, batch, focus, run, db)
    : await askLive(turn, messages, focus, run, db);
  if (asked.kind !== 'answered') run.signal.throwIfAborted();
  return asked;
}

async function askLive(
  turn: OpenTurn,
  messages: readonly Message[],
  focus: LoopFocus,
  run: LoopRun,
  db: Database,
): Promise<Asked> {
  const { model } = focus;
  run.onEvent({ type: 'asked', turn: turn.number, model: model.model });
  run.unsent.isOver();
  const result = await run.time.elsewhere(callModel(turn.number, messages, focus, run));
  if (!result.ok) {
    const { failure } = result;
    if (run.signal.aborted) await settleStopped(turn.number, failure.lost, focus.key, db);
    return { kind: 'failed', failure };
  }
  const { response } = result;
  const cost = response.usage && model.costUsd(response.usage);
  return { kind: 'answered', turn, response, cost, requestId: null };
}

/** A request that is under way waits with the results before it: these must also be durable. */
async function askByBatch(
  turn: OpenTurn,
  messages: readonly Message[],
  batch: FocusBatch,
  focus: LoopFocus,
  run: LoopRun,
  db: Database,
): Promise<Asked> {
  const request = requestOf(turn.number, messages, focus);
  const asked = await writeBegun(turn, focus, run, db, () => askInBatch(turn, request, batch, focus.key, run, db));
  switch (asked.kind) {
    case 'put':
      run.onEvent({ type: 'asked', turn: turn.number, model: focus.model.model });
      run.journal.kept();
      return { kind: 'parked' };
    case 'parked':
      return { kind: 'parked' };
    case 'failed':
    case 'refused':
      return asked;
    case 'answered': {
      const { response, requestId } = asked;
      await span('chat', attributesOf(focus), async (chat) => measure(chat, response, focus));
      const cost = response.usage && batch.costUsd(response.usage);
      return { kind: 'answered', turn, response, cost, requestId };
    }
    default:
      return asked satisfies never;
  }
}
