/** Finds out who sends a request: by a bearer token, the secret of a session, or that of a login link. */

import { AnimusError } from '../../core/errors/errors.ts';
import { type AccessSecret, hashAccessToken } from '../../core/secrets/access-token.ts';
import { csrfToken } from '../../core/secrets/csrf-token.ts';
import { Secret } from '../../core/secrets/secret.ts';
import { SCOPES } from '../../core/work/people.ts';
import { type AcceptedToken, acceptToken, actWithRole, lookAtLoginLink } from '../../store/people/acting.ts';
import type { Database, Queryable, Statement } from '../../store/sql/database.ts';
import type { Claimed, Issuer } from './issuer.ts';
import type { Visitor } from './visitor.ts';

/** Runs a look-up in the database. */
export type LookUp = <T>(look: () => Promise<T>) => Promise<T>;

/** Each raises `http.unauthorized` for what is malformed, unknown, revoked or expired, and for a disabled person. No error contains a secret. `turn`: default at once. */
export interface Login {
  /** The person whose token is in the `Authorization` header. Raises `http.unauthorized` without a header, and for another scheme. `turn`: for tokens of our own. */
  visitor(authorization: string | undefined, turn?: LookUp): Promise<Visitor>;
  /** The person of a session. */
  session(secret: string, turn?: LookUp): Promise<Visitor>;
  /** The person of a login link, for one transaction (`asVisitor`), which uses the link up. */
  link(secret: string, turn?: LookUp): Promise<Visitor>;
}

export interface LoginOptions {
  /** Its login is a member of animus_gateway, or owns the schema. */
  readonly database: Database;
  /** Whose tokens are accepted, too; default: only our own are. */
  readonly issuer?: Issuer | null;
}

export function openLogin({ database, issuer = null }: LoginOptions): Login {
  const accepted = async (hash: Buffer, csrf: string | null, turn: LookUp): Promise<Visitor> => {
    const { id, person, ...found } = await turn(() => onlyRow<AcceptedToken>(database, acceptToken(hash)));
    return { ...visitorOf(person, hash), ...found, tokenId: id, csrf };
  };
  return {
    async visitor(authorization, turn = atOnce) {
      const token = bearerToken(authorization);
      // A JWT has two dots, one of our tokens has none.
      if (issuer !== null && token.includes('.')) return issuersVisitor(database, await issuer.claimed(token));
      return accepted(hashOf(token, 'token'), null, turn);
    },
    session: async (secret, turn = atOnce) => accepted(hashOf(secret, 'session'), csrfToken(secret), turn),
    async link(secret, turn = atOnce) {
      const hash = hashOf(secret, 'link');
      const { person, role } = await turn(() =>
        onlyRow<Pick<AcceptedToken, 'person' | 'role'>>(database, lookAtLoginLink(hash)),
      );
      return {
        ...visitorOf(person, hash),
        role,
        scopes: SCOPES,
        tokenId: null,
        csrf: null,
        expiresAt: null,
        byLink: true,
      };
    },
  };
}

const atOnce: LookUp = (look) => look();

const NAMES: Readonly<Record<AccessSecret, string>> = {
  token: 'the token',
  session: 'the session',
  link: 'the login link',
};

function hashOf(secret: string, kind: AccessSecret): Buffer {
  const hash = hashAccessToken(secret, kind);
  if (hash === null) throw new AnimusError('http.unauthorized', { detail: `${NAMES[kind]} is not valid` });
  return hash;
}

function visitorOf(person: string, hash: Buffer) {
  return {
    actor: `person:${person}`,
    person,
    acceptedUntil: null,
    claimed: null,
    proof: new Secret(hash.toString('hex')),
    byLink: false,
  };
}

async function issuersVisitor(database: Queryable, { person, role, ...rest }: Claimed): Promise<Visitor> {
  const present = await onlyRow<Pick<AcceptedToken, 'role'>>(database, actWithRole(person, role));
  return {
    actor: `person:${person}`,
    person,
    ...present,
    ...rest,
    tokenId: null,
    csrf: null,
    claimed: role,
    proof: null,
    byLink: false,
  };
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
