/** Acting for a person in a transaction: thin calls of the SQL functions, as the first statement of it. All raise `db.forbidden` if the login is not a gateway. */
import type { PersonRole, Scope } from '../../core/work/people.ts';
import type { Queryable, Statement } from '../sql/database.ts';
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
 * Acts for the person of a token until the end of the transaction, and returns a row without columns. `hash`: its SHA-256. Raises `http.unauthorized` if it is
 * unknown, revoked or expired, or its person is disabled.
 */
export function actWithToken(hash: Buffer): Statement {
  return { sql: 'select from animus.act_with_token($1)', params: [hash] };
}

/** The same, and returns one `AcceptedToken`. */
export function acceptToken(hash: Buffer): Statement {
  const sql = 'select id, person, role, scopes, expires_at as "expiresAt" from animus.act_with_token($1)';
  return { sql, params: [hash] };
}

/** Acts for the person of a login link, which is used up; returns a row without columns. Raises `http.unauthorized` if it is unknown, was used or has expired. */
export function actWithLoginLink(hash: Buffer): Statement {
  return { sql: 'select from animus.act_with_login_link($1, true)', params: [hash] };
}

/** The same for a look at it, which does not use it up; returns `person` and `role`. */
export function lookAtLoginLink(hash: Buffer): Statement {
  return { sql: 'select person, role from animus.act_with_login_link($1, false)', params: [hash] };
}

/** Acts for a person until the end of the transaction, with at most this role, and returns the `role` that results. `http.unauthorized` if disabled. */
export function actWithRole(person: string, role: PersonRole): Statement {
  return { sql: 'select animus.act_with_role($1, $2) as role', params: [person, role] };
}

/** The role of the person that acts, at this moment. */
export function readActingRole(tx: Queryable): Promise<PersonRole> {
  return readValue<PersonRole>(tx, 'select animus.acting_role()', []);
}
