/** Recorded tool calls, and their ends. */
import { roundMs } from '../../core/lifecycle/round-ms.ts';
import type { FailedWrites } from '../../core/work/failed-writes.ts';
import type { Queryable } from '../sql/database.ts';
import { toJsonb } from '../sql/json.ts';
import { readValue } from '../sql/read-value.ts';
import type { FocusKey } from './focus-row.ts';
import type { ShownFile } from './shown-files.ts';

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
  /** The images and documents that its result shows; left out where there are none. */
  readonly shown?: readonly ShownFile[];
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
  { focusId, leaseToken }: FocusKey,
  turn: number,
  callId: string,
  finalInput: { readonly value: unknown } | null,
  grantId: string | null = null,
): Promise<void> {
  const start = `select animus.start_call($1, $2, $3, $4, $5::json, $6)`;
  await db.query(start, [focusId, leaseToken, turn, callId, finalInput && toJsonb(finalInput.value), grantId]);
}

/** Records ends of calls; returns how many were new (a call that had ended keeps its first result). */
export async function finishToolCalls(db: Queryable, focus: FocusKey, results: readonly CallResult[]): Promise<number> {
  return readValue<number>(db, `select animus.finish_tool_calls($1, $2, $3::jsonb)`, [
    focus.focusId,
    focus.leaseToken,
    toJsonb(results.map(resultRow)),
  ]);
}

/** An end in the format of the SQL functions. */
export function resultRow({ callId, isError, durationMs, ...result }: CallResult): object {
  return { ...result, call_id: callId, is_error: isError, duration_ms: roundMs(durationMs) };
}

/**
 * The calls of these tools, in all attempts at the item, by the model and by code; null if there was none, or if one of them has succeeded
 * or may have.
 */
export async function readFailedWrites(
  db: Queryable,
  workItemId: string,
  tools: readonly string[],
): Promise<FailedWrites | null> {
  const [row] = await db.query<FailedWrites & { readonly failed: number }>(
    `select count(*)::int as calls, (count(*) filter (where c.state in ('failed', 'denied')))::int as failed,
            array_agg(distinct c.name order by c.name) as tools,
            (array_agg(left(c.output, 300) order by f.number desc, c.turn desc, c.position desc))[1] as last
       from animus.tool_calls c join animus.foci f on f.id = c.focus_id
      where f.work_item_id = $1 and c.name = any($2::text[])`,
    [workItemId, tools],
  );
  const { calls, failed, tools: called, last } = row!;
  return calls === 0 || failed < calls ? null : { calls, tools: called, last };
}
