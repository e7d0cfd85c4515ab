/** What a focus asks people: thin calls of the SQL functions, which bind each decision to the exact request. */
import type { Queryable } from '../sql/database.ts';
import { toJsonb } from '../sql/json.ts';
import type { FocusKey } from './focus-row.ts';
import type { Asks, WaitRequest } from './waits.ts';

/** Whether the call waits by this statement; false where it waited or had ended already, or where it is refused. */
export interface Asked {
  readonly asked: boolean;
  /** When the answer is no, by the database's clock; null: never. */
  readonly deadline: Date | null;
  /** Why nobody is asked: too much is open. The call stays as it was, for the caller to end. */
  readonly refused: string | null;
}

/**
 * Turns a recorded call into one that waits for a person. About a tool call (subject `tool_call`), the request is made by the database of the
 * recorded call; `finalInput` is what a hook has put in place of its input.
 */
export async function askPerson(
  db: Queryable,
  { focusId, leaseToken }: FocusKey,
  turn: number,
  callId: string,
  kind: WaitRequest['kind'],
  { subject, request, seconds }: Asks,
  finalInput: { readonly value: unknown } | null = null,
): Promise<Asked> {
  const given = finalInput && toJsonb(finalInput.value);
  const [row] = await db.query<Asked>(
    `select asked, deadline, refused from animus.ask_person($1, $2, $3, $4, $5, $6, $7::json, $8, $9::json)`,
    [focusId, leaseToken, turn, callId, kind, subject, toJsonb(request), seconds, given],
  );
  return row!;
}

/** A grant that may let a call run without a person. `pattern`: null for one of exactly this call. */
export interface Grant {
  readonly id: string;
  readonly pattern: string | null;
}

/**
 * The valid grants for a recorded call: those of exactly this call first, then those with a pattern, which the caller matches. With `fourEyes`, without
 * those of the one who submitted the work or wrote to it.
 */
export async function grantsFor(
  db: Queryable,
  focusId: string,
  turn: number,
  callId: string,
  finalInput: { readonly value: unknown } | null,
  fourEyes = false,
): Promise<Grant[]> {
  const find = `select id::text as id, pattern from animus.grants_for($1, $2, $3, $4::json, $5)`;
  return db.query<Grant>(find, [focusId, turn, callId, finalInput && toJsonb(finalInput.value), fourEyes]);
}
