/** Recorded tool calls, and their ends. */
import type { Queryable } from '../sql/database.ts';
import { toJsonb } from '../sql/json.ts';
import type { FocusKey } from './focus-row.ts';

export type CallState = 'pending' | 'started' | 'done' | 'failed' | 'in_doubt' | 'denied' | 'waiting';

/** A tool call and, once it has ended, its output for the model. */
export interface RecordedCall {
  readonly callId: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly state: CallState;
  readonly output: string | null;
  readonly isError: boolean;
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
    duration_ms: result.durationMs,
  };
}
