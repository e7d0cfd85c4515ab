/** Finds out who sends a request, by its bearer token. */
import { AnimusError } from '../../core/errors/errors.ts';
import { hashAccessToken } from '../../core/secrets/access-token.ts';
import { Secret } from '../../core/secrets/secret.ts';
import { type AcceptedToken, acceptToken, actWithRole } from '../../store/people/acting.ts';
import type { Database, Queryable, Statement } from '../../store/sql/database.ts';
import type { Claimed, Issuer } from './issuer.ts';
import type { Visitor } from './visitor.ts';

export interface Login {
  /**
   * The person whose token is in the `Authorization` header. Raises `http.unauthorized`: without a header, for another scheme, for a token
   * that is malformed, unknown, revoked or expired, and for a disabled person. No error contains the token. `turn` runs the look-up of one of
   * our tokens in the database; default: at once.
   */
  visitor(authorization: string | undefined, turn?: <T>(look: () => Promise<T>) => Promise<T>): Promise<Visitor>;
}

export interface LoginOptions {
  /** Its login is a member of animus_gateway, or owns the schema. */
  readonly database: Database;
  /** Whose tokens are accepted, too; default: only our own are. */
  readonly issuer?: Issuer | null;
}

export function openLogin({ database, issuer = null }: LoginOptions): Login {
  return {
    async visitor(authorization, turn = (look) => look()) {
      const token = bearerToken(authorization);
      // A JWT has two dots, one of our tokens has none.
      if (issuer !== null && token.includes('.')) return issuersVisitor(database, await issuer.claimed(token));
      const hash = hashAccessToken(token);
      if (hash === null) throw new AnimusError('http.unauthorized', { detail: 'the token is not valid' });
      const { id, person, role, scopes, expiresAt } = await turn(() =>
        onlyRow<AcceptedToken>(database, acceptToken(hash)),
      );
      const proof = new Secret(hash.toString('hex'));
      return { actor: `person:${person}`, person, role, scopes, tokenId: id, expiresAt, acceptedUntil: null, proof };
    },
  };
}

async function issuersVisitor(database: Queryable, { person, role, ...claimed }: Claimed): Promise<Visitor> {
  const present = await onlyRow<Pick<AcceptedToken, 'role'>>(database, actWithRole(person, role));
  return { actor: `person:${person}`, person, ...present, ...claimed, tokenId: null, proof: null };
}

async function onlyRow<Row extends object>(database: Queryable, { sql, params }: Statement): Promise<Row> {
  const [row] = await database.query<Row>(sql, params);
  return row!;
}

/** The token of an `Authorization` header (RFC 6750). The scheme's case does not matter. */
function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined) {
    throw new AnimusError('http.unauthorized', { detail: 'a token is needed: Authorization: Bearer TOKEN' });
  }
  const token = /^bearer +([\w.~+/=-]{1,16384})$/i.exec(authorization)?.[1];
  if (token === undefined) {
    throw new AnimusError('http.unauthorized', { detail: 'the Authorization header is not: Bearer TOKEN' });
  }
  return token;
}
