/** Recorded tool calls, and their ends. */
import { roundMs } from '../../core/lifecycle/round-ms.ts';
import type { Queryable } from '../sql/database.ts';
import { toJsonb } from '../sql/json.ts';
import type { FocusKey } from './focus-row.ts';

export type CallState = 'pending' | 'started' | 'done' | 'failed' | 'in_doubt' | 'denied' | 'waiting';

/** A tool call and, once it has ended, its output for the model. */
export interface RecordedCall {
  readonly callId: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** What it runs with in place of `input`, which is what the model wrote; null: unchanged. */
  readonly finalInput: unknown;
  readonly state: CallState;
  readonly output: string | null;
  readonly isError: boolean;
  /** Only in memory: it waits, and a person has approved it, so it may be started. */
  readonly approved?: boolean;
  /** The ledger entries that its code wrote, in order; left out where there are none. */
  readonly wrote?: readonly CodeEntry[];
}

/** The input of a call of `ledger_append` that code made. */
export interface CodeEntry {
  readonly type: unknown;
  readonly content: unknown;
}

/** The end of one call. */
export interface CallResult {
  readonly turn: number;
  readonly callId: string;
  readonly state: 'done' | 'failed' | 'in_doubt' | 'denied';
  readonly output: string;
  readonly isError: boolean;
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly durationMs: number;
}

/**
 * Marks a call as running before it runs, and stores the input that it runs with, if that is not what the model wrote (`finalInput`). A call that
 * waits starts only if a person has approved it with this input, and one with a grant only if the grant fits (`work.state` otherwise). Idempotent.
 */
export async function startCall(
  db: Queryable,
  focus: FocusKey,
  turn: number,
  callId: string,
  finalInput: { readonly value: unknown } | null,
  grantId: string | null = null,
): Promise<void> {
  await db.query(`select animus.start_call($1, $2, $3, $4, $5::json, $6)`, [
    focus.focusId,
    focus.leaseToken,
    turn,
    callId,
    finalInput && toJsonb(finalInput.value),
    grantId,
  ]);
}

/** Records ends of calls; returns how many were new (a call that had ended keeps its first result). */
export async function finishToolCalls(db: Queryable, focus: FocusKey, results: readonly CallResult[]): Promise<number> {
  const [row] = await db.query<{ count: number }>(`select animus.finish_tool_calls($1, $2, $3::jsonb) as count`, [
    focus.focusId,
    focus.leaseToken,
    toJsonb(results.map(resultRow)),
  ]);
  return row!.count;
}

/** An end in the format of the SQL functions. */
export function resultRow(result: CallResult): object {
  return {
    turn: result.turn,
    call_id: result.callId,
    state: result.state,
    output: result.output,
    is_error: result.isError,
    details: result.details,
    duration_ms: roundMs(result.durationMs),
  };
}
