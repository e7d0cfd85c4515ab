/** Decisions of operators about what waits for a person: thin calls of the SQL functions. Errors of all: `work.not_found`, `work.state`, `work.invalid`. */
import type { Queryable } from '../sql/database.ts';
import { toText } from '../sql/json.ts';

export interface Decision {
  /** The name of the call or wait; may be left out where only one fits. */
  readonly callId?: string | undefined;
  readonly note?: string | undefined;
  /** As in the inbox: refused (`work.state`) if something else waits by now. */
  readonly hash?: string | undefined;
}

/** Approves, and returns the name of the call. `input`: JSON as text, with which the call runs instead of its own. */
export async function approve(
  db: Queryable,
  id: string,
  { callId, note, hash, input }: Decision & { readonly input?: string | undefined },
): Promise<string> {
  const [row] = await db.query<{ call: string }>('select animus.approve($1::uuid, $2, $3, $4::json, $5) as call', [
    id,
    callId ?? null,
    toText(note ?? ''),
    input ?? null,
    hash ?? null,
  ]);
  return row!.call;
}

/** Denies, and returns the name of the call. The model gets the note. */
export async function deny(db: Queryable, id: string, { callId, note, hash }: Decision): Promise<string> {
  const [row] = await db.query<{ call: string }>('select animus.deny($1::uuid, $2, $3, $4) as call', [
    id,
    callId ?? null,
    toText(note ?? ''),
    hash ?? null,
  ]);
  return row!.call;
}

/** Answers a question of the model, and returns the name of the call. */
export async function answerQuestion(db: Queryable, id: string, text: string, callId?: string): Promise<string> {
  const [row] = await db.query<{ call: string }>('select animus.answer($1::uuid, $2, $3) as call', [
    id,
    toText(text),
    callId ?? null,
  ]);
  return row!.call;
}

/** Allows calls like the one that waits, and returns the grant's id. */
export async function grantCall(
  db: Queryable,
  id: string,
  grant: {
    readonly callId?: string | undefined;
    readonly scope: 'item' | 'faculty';
    readonly seconds: number;
    /** Of inputs, as in `[faculty.permissions]`; left out: exactly this input. */
    readonly pattern?: string | undefined;
    readonly note?: string | undefined;
  },
): Promise<string> {
  const [row] = await db.query<{ id: string }>(
    'select animus.grant_call($1::uuid, $2, $3, make_interval(secs => $4), $5, $6)::text as id',
    [
      id,
      grant.callId ?? null,
      grant.scope,
      grant.seconds,
      grant.pattern === undefined ? null : toText(grant.pattern),
      toText(grant.note ?? ''),
    ],
  );
  return row!.id;
}

/** Ends a grant; false if it had ended before. */
export async function revokeGrant(db: Queryable, grantId: string): Promise<boolean> {
  const [row] = await db.query<{ revoked: boolean }>('select animus.revoke_grant($1::bigint) as revoked', [grantId]);
  return row!.revoked;
}
