/** Decisions of operators about what waits for a person: thin calls of the SQL functions. Errors of all: `work.not_found`, `work.state`, `work.invalid`. */
import type { Queryable } from '../sql/database.ts';
import { toText } from '../sql/json.ts';
import { readValue } from '../sql/read-value.ts';

export interface Decision {
  /** What is decided: `ask_id` of the inbox, which names exactly what was shown. May be left out where only one fits. */
  readonly ask?: string | undefined;
  readonly note?: string | undefined;
  /** As in the inbox: refused (`work.state`) if something else waits by now. */
  readonly hash?: string | undefined;
}

/** Approves, and returns what was decided (`ask_id`). `input`: JSON as text, with which the call runs instead of its own. */
export async function approve(
  db: Queryable,
  id: string,
  { ask, note, hash, input }: Decision & { readonly input?: string | undefined },
): Promise<string> {
  const decide = 'select animus.approve($1::uuid, $2::uuid, $3, $4::json, $5)';
  return readValue<string>(db, decide, [id, ask ?? null, toText(note ?? ''), input ?? null, hash ?? null]);
}

/** Denies, and returns what was decided. The model gets the note. */
export async function deny(db: Queryable, id: string, { ask, note, hash }: Decision): Promise<string> {
  const decide = 'select animus.deny($1::uuid, $2::uuid, $3, $4)';
  return readValue<string>(db, decide, [id, ask ?? null, toText(note ?? ''), hash ?? null]);
}

/** Answers a question of the model, and returns what was decided. */
export async function answerQuestion(db: Queryable, id: string, text: string, ask?: string): Promise<string> {
  return readValue<string>(db, 'select animus.answer($1::uuid, $2, $3::uuid)', [id, toText(text), ask ?? null]);
}

/** Allows calls like the one that waits, and returns the grant's id. */
export async function grantCall(
  db: Queryable,
  id: string,
  grant: {
    readonly ask?: string | undefined;
    readonly scope: 'item' | 'faculty';
    readonly seconds: number;
    /** Of inputs, as in `[faculty.permissions]`; left out: exactly this input. */
    readonly pattern?: string | undefined;
    readonly note?: string | undefined;
  },
): Promise<string> {
  return readValue<string>(
    db,
    'select animus.grant_call($1::uuid, $2::uuid, $3, make_interval(secs => $4), $5, $6)::text',
    [id, grant.ask ?? null, grant.scope, grant.seconds, toText(grant.pattern), toText(grant.note ?? '')],
  );
}
