/** People and tokens for tests of what is done through a gateway. */
import { hashAccessToken, newAccessToken } from '../../src/core/secrets/access-token.ts';
import type { PersonRole, Scope } from '../../src/core/work/people.ts';
import { createToken as recordToken, setPerson } from '../../src/features/people/store.ts';
import { openLogin } from '../../src/http/login/login.ts';
import type { Visitor } from '../../src/http/login/visitor.ts';
import type { Database, Queryable } from '../../src/store/sql/database.ts';

/** Adds a person, or gives it this role. `database` is the schema's owner. */
export async function createPerson(database: Queryable, name: string, role: PersonRole = 'submitter'): Promise<void> {
  await setPerson(database, name, { role, disabled: false });
}

/** Creates a token and returns its id and the text that its owner sends. */
export async function createToken(
  database: Queryable,
  person: string,
  options: { role?: PersonRole; scopes?: readonly Scope[]; expiresAt?: Date; label?: string } = {},
): Promise<{ readonly id: string; readonly secret: string }> {
  const secret = newAccessToken().reveal();
  const { id } = await recordToken(database, { person, hash: hashAccessToken(secret)!, ...options });
  return { id, secret };
}

/** The visitor that a new token of the person makes. The person has exactly this role afterwards. */
export async function visitorFor(
  database: Database,
  person: string,
  role: PersonRole = 'submitter',
  scopes?: readonly Scope[],
): Promise<Visitor> {
  await createPerson(database, person, role);
  const { secret } = await createToken(database, person, scopes ? { scopes } : {});
  return openLogin({ database }).visitor(`Bearer ${secret}`);
}
