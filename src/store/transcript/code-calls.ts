/** Calls that code made, below the recorded call that runs the code. Requests to a model never contain them. */
import { roundMs } from '../../core/lifecycle/round-ms.ts';
import type { Queryable } from '../sql/database.ts';
import { toJsonb, toText } from '../sql/json.ts';
import { readValue } from '../sql/read-value.ts';
import type { CallState } from './calls.ts';
import type { FocusKey } from './focus-row.ts';

/** A call of code as it is recorded: begun (`output` null), or ended. */
export interface CodeCallRow {
  /** Its number within the execution, from 1. */
  readonly n: number;
  readonly name: string;
  readonly input: unknown;
  /** What it ran with in place of `input`; null: unchanged. */
  readonly finalInput: unknown;
  readonly state: CallState;
  /** Bounded by the caller. */
  readonly output: string | null;
  /** Of the whole output. */
  readonly outputBytes: number | null;
  readonly isError: boolean | null;
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly durationMs: number | null;
}

/** Records calls of the code that call `parentCallId` runs. Idempotent: a call that has ended keeps its first result. Errors: `work.state` if the parent has ended. */
export async function recordCodeCalls(
  db: Queryable,
  { focusId, leaseToken }: FocusKey,
  turn: number,
  parentCallId: string,
  calls: readonly CodeCallRow[],
): Promise<number> {
  const record = `select animus.record_code_calls($1, $2, $3, $4, $5::json)`;
  return readValue<number>(db, record, [focusId, leaseToken, turn, parentCallId, toJsonb(calls.map(rowOf))]);
}

function rowOf({ finalInput, outputBytes, isError, durationMs, ...row }: CodeCallRow): object {
  const duration = durationMs === null ? null : roundMs(durationMs);
  return { ...row, final_input: finalInput, output_bytes: outputBytes, is_error: isError, duration_ms: duration };
}

/** A recorded call of code, with the call that ran the code. */
export type RecordedCodeCall = Pick<CodeCallRow, 'n' | 'name' | 'input' | 'state' | 'output' | 'isError'> & {
  readonly parentCallId: string;
};

/** The calls of code of a turn, in the order in which they were made. */
export async function readCodeCalls(db: Queryable, focusId: string, turn: number): Promise<RecordedCodeCall[]> {
  return db.query<RecordedCodeCall>(
    `select parent_call_id as "parentCallId", position as n, name, coalesce(final_input, input) as input, state, output, is_error as "isError"
       from animus.tool_calls where focus_id = $1 and turn = $2 and origin = 'sandbox' order by parent_call_id, position`,
    [focusId, turn],
  );
}

/** Keeps a file as an artifact of the item. Idempotent by `id`. Returns its media type, or why it was not kept. */
export async function keepFile(
  db: Queryable,
  focus: FocusKey,
  file: { readonly id: string; readonly name: string; readonly bytes: Buffer },
): Promise<{ readonly mediaType: string } | { readonly problem: string }> {
  const [row] = await db.query<{ media_type: string; problem: string | null }>(
    `select media_type, problem from animus.keep_file($1, $2, $3, $4, $5)`,
    [focus.focusId, focus.leaseToken, file.id, toText(file.name), file.bytes],
  );
  return row!.problem === null ? { mediaType: row!.media_type } : { problem: row!.problem };
}
