/** Acting for a person in a transaction: thin calls of the SQL functions. All raise `db.forbidden` if the login is not a gateway. */
import type { PersonRole, Scope } from '../../core/work/people.ts';
import type { Queryable } from '../sql/database.ts';
import { readValue } from '../sql/read-value.ts';

/** A token that was accepted, and what it may do. */
export interface AcceptedToken {
  readonly id: string;
  readonly person: string;
  /** The lower of the roles of the person and of the token, at this moment. */
  readonly role: PersonRole;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
}

/**
 * Acts for the person of a token until the end of the transaction. `hash`: its SHA-256. Raises `http.unauthorized` if it is unknown, revoked
 * or expired, or its person is disabled.
 */
export async function actWithToken(tx: Queryable, hash: Buffer): Promise<AcceptedToken> {
  const [row] = await tx.query<AcceptedToken>(
    'select id, person, role, scopes, expires_at as "expiresAt" from animus.act_with_token($1)',
    [hash],
  );
  return row!;
}

/** Acts for a person until the end of the transaction, with at most this role, and returns the role that results. `http.unauthorized` if disabled. */
export async function actWithRole(tx: Queryable, person: string, role: PersonRole): Promise<PersonRole> {
  return readValue<PersonRole>(tx, 'select animus.act_with_role($1, $2)', [person, role]);
}
