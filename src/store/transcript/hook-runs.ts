/** What the hooks of the loop decided. The SQL functions hold the rules. */
import { roundMs } from '../../core/lifecycle/round-ms.ts';
import type { HookEvent } from '../../core/work/words.ts';
import type { LedgerType } from '../../core/work/work.ts';
import type { Queryable } from '../sql/database.ts';
import { toJsonb, toText } from '../sql/json.ts';
import { readValue } from '../sql/read-value.ts';
import type { FocusKey } from './focus-row.ts';

/** A recorded run. */
export interface HookRun {
  readonly turn: number;
  readonly event: HookEvent;
  /** Of the call that it was about; empty for `before_llm_call`. */
  readonly callId: string;
  readonly hook: string;
  readonly decision: 'allow' | 'block' | 'modify' | 'failed';
  /** Hexadecimal SHA-256 of what `before_tool_call` judged; null for the other events. */
  readonly given: string | null;
  readonly reason: string | null;
  /** Of `before_tool_call`: the merge patch of the input. */
  readonly patch: Readonly<Record<string, unknown>> | null;
}

/** A run to record. */
export interface NewHookRun extends HookRun {
  /** Of this run: recording it again changes nothing. */
  readonly runId: string;
  readonly durationMs: number;
  readonly ledger: readonly { readonly type: LedgerType; readonly content: string }[];
  /** Of `before_llm_call`: a message for the context, before the request of its turn. */
  readonly message: { readonly content: string; readonly tokens: number } | null;
}

/** Records a run, in place of an earlier one of the same hook. Returns the numbers of its ledger entries. Errors: `work.lease_lost`. */
export async function recordHookRun(
  db: Queryable,
  { focusId, leaseToken }: FocusKey,
  { callId, runId, durationMs, message, ...run }: NewHookRun,
): Promise<readonly number[]> {
  const row = toJsonb({ ...run, call_id: callId, run_id: runId, duration_ms: roundMs(durationMs) });
  const record = `select animus.record_hook_run($1, $2, $3::json, $4, $5)`;
  return readValue<number[]>(db, record, [focusId, leaseToken, row, toText(message?.content), message?.tokens ?? null]);
}

/** The recorded runs of a focus from a turn on. */
export async function readHookRuns(db: Queryable, focusId: string, fromTurn: number): Promise<HookRun[]> {
  return db.query<HookRun>(
    `select turn, event, call_id as "callId", hook, decision, encode(given, 'hex') as given, reason, patch
       from animus.hook_runs where focus_id = $1 and turn >= $2`,
    [focusId, fromTurn],
  );
}
