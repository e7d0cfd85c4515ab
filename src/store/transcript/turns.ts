/** Recorded turns, and what they are charged with. */
import { roundMs } from '../../core/lifecycle/round-ms.ts';
import type { ContentBlock, ModelAnswer, StopReason, Usage } from '../../core/work/conversation.ts';
import type { Queryable } from '../sql/database.ts';
import { toJsonb } from '../sql/json.ts';
import { readValue } from '../sql/read-value.ts';
import type { Reservation, TurnPermit } from './begin-turn.ts';
import { type CallResult, type RecordedCall, resultRow } from './calls.ts';
import type { FocusKey } from './focus-row.ts';

/** A recorded answer. `content` is what later requests send back. */
export interface RecordedTurn {
  readonly turn: number;
  readonly provider: string;
  readonly model: string;
  readonly content: readonly ContentBlock[];
  readonly stopReason: StopReason;
  readonly cutToolCalls: readonly string[];
  /** Tokens of the prompt as the provider counted them, cached ones included; null where it did not count them, or wrote nonsense. */
  readonly inputTokens: number | null;
  readonly calls: readonly RecordedCall[];
  /** As of `EngineMessage`. */
  readonly era?: number;
}

/** An answer as it will be read back once it is recorded, with its calls as started: `withPending` says which are not. */
export function answeredTurn(turn: number, response: ModelAnswer): RecordedTurn {
  const content = storable(response.content);
  return {
    turn,
    provider: response.provider,
    model: response.model,
    content,
    stopReason: response.stopReason,
    cutToolCalls: response.cutToolCalls,
    inputTokens: response.usage?.reported || response.usage?.estimated ? null : (response.usage?.input ?? null),
    calls: content
      .filter((block) => block.type === 'tool_call')
      .map(({ id, name, input }) => ({
        callId: id,
        name,
        input,
        finalInput: null,
        state: 'started',
        output: null,
        isError: false,
      })),
  };
}

/** The ends of all calls of an answer, in their order, and what the next turn reserves: it is begun in the same commit. */
export interface NextTurn {
  readonly ends: readonly CallResult[];
  readonly reservation: Reservation;
}

/**
 * Makes an answer durable, with its calls as pending, started or ended: one statement, one commit, which waits for the disk. `costUsd` null: not known. Returns the
 * permit of the next turn, where that is begun with it. Recording it again changes nothing, and begins the next turn again.
 */
export async function recordTurn(
  db: Queryable,
  { focusId, leaseToken }: FocusKey,
  turn: RecordedTurn,
  response: ModelAnswer,
  costUsd: number | null,
  next: NextTurn | null = null,
): Promise<TurnPermit | null> {
  const calls = turn.calls.map(({ callId, name, input, state }, index) => {
    return { call_id: callId, name, input, ...(next === null ? { state } : resultRow(next.ends[index]!)) };
  });
  const { usd = null, request = null } = next?.reservation ?? {};
  const [answer, asked] = [answerJson(turn, response, costUsd), toJsonb(calls)];
  const record = `select animus.record_turn($1, $2, $3, $4::json, $5::json, $6, $7)`;
  return readValue<TurnPermit | null>(db, record, [focusId, leaseToken, turn.turn, answer, asked, usd, request]);
}

/** The answer as `record_turn` takes it. */
export function answerJson(turn: RecordedTurn, response: ModelAnswer, costUsd: number | null): string {
  return toJsonb({
    provider: response.provider,
    model: response.model,
    content: turn.content,
    response_id: response.responseId,
    stop_reason: response.stopReason,
    raw_stop_reason: response.rawStopReason,
    cut_tool_calls: response.cutToolCalls,
    usage: response.usage,
    cost_usd: costUsd,
    lost: response.lost ?? 0,
    duration_ms: roundMs(response.durationMs),
    time_to_first_token_ms: response.timeToFirstTokenMs === null ? null : roundMs(response.timeToFirstTokenMs),
  });
}

/** Charges the item with a model call that is not a turn. */
export async function recordSideCall(
  db: Queryable,
  { focusId, leaseToken }: FocusKey,
  {
    provider,
    model,
    usage,
    lost = 0,
  }: Pick<ModelAnswer, 'provider' | 'model' | 'lost'> & {
    readonly usage: Pick<Usage, 'input' | 'output' | 'estimated'> | null;
  },
  costUsd: number | null,
  operation: 'summary' | 'embedding' = 'summary',
): Promise<void> {
  const call = toJsonb({ provider, model, usage, cost_usd: costUsd, lost, operation });
  await db.query(`select animus.record_side_call($1, $2, $3::jsonb)`, [focusId, leaseToken, call]);
}

// What is sent later must be what is read back after a crash, to the byte: so the live loop, too, uses the stored form.
function storable(content: readonly ContentBlock[]): ContentBlock[] {
  return JSON.parse(toJsonb(content)) as ContentBlock[];
}
