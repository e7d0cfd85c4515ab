/** Who visits by HTTP, and the transactions that act for them. What they may see and do is decided by the same SQL as for psql. */
import { AnimusError } from '../../core/errors/errors.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import type { ActingPerson, PersonRole, Scope } from '../../core/work/people.ts';
import { type AnyPage, type Place, type ReadsAs, readPlacesAs } from '../../store/events/places.ts';
import { actWithLoginLink, actWithRole, actWithToken } from '../../store/people/acting.ts';
import type { Database, Queryable, Statement } from '../../store/sql/database.ts';

/** A person whose token was checked. */
export interface Visitor extends ActingPerson {
  /** Afterwards `asVisitor` refuses: of a token of an OIDC issuer, later than `expiresAt` by what clocks may differ. Null: SQL decides. */
  readonly acceptedUntil: Date | null;
  /** The hash of one of our secrets, hexadecimal: anyone who has it can act with it. Null for a token of an OIDC issuer. */
  readonly proof: Secret | null;
  /** The most that a token of an OIDC issuer permits, whatever the role of the person is at this moment. Null: another token. */
  readonly claimed: PersonRole | null;
  /** It is the hash of a login link, which the first transaction uses up. */
  readonly byLink: boolean;
}

/** Errors: `http.forbidden` if the visitor's token is not for the scope. */
export function requireScope({ scopes }: Pick<Visitor, 'scopes'>, scope: Scope): void {
  if (!scopes.includes(scope))
    throw new AnimusError('http.forbidden', { detail: `this token does not have scope ${scope}` });
}

/**
 * Runs `work` in one transaction that acts for the visitor. One of our tokens is checked again each time, also if `work` has no statement: one that was
 * revoked meanwhile is refused, and so is a person who was disabled. Raises `http.unauthorized`, and whatever `work` raises.
 */
export async function asVisitor<T>(
  database: Database,
  visitor: Visitor,
  work: (tx: Queryable) => Promise<T>,
  now?: () => Date,
): Promise<T> {
  return database.transaction(work, acting(visitor, now));
}

/**
 * The same for what only reads: each statement is a transaction of its own, in one round trip. In a transaction of several, each would see what is committed
 * when it begins, too.
 */
export async function readingAs<T>(
  database: Database,
  visitor: Visitor,
  read: (db: Queryable) => Promise<T>,
): Promise<T> {
  let checked = false;
  const result = await read({
    query: (sql, params) => {
      checked = true;
      return database.queryAfter(acting(visitor), sql, params);
    },
  });
  if (!checked) await asVisitor(database, visitor, async () => null);
  return result;
}

/**
 * The same for an act that is one statement: all that it changes is committed by that statement. Errors: also `internal.bug` for a second one, which would be
 * another transaction.
 */
export async function inOneStatementAs<T>(
  database: Database,
  visitor: Visitor,
  act: (tx: Queryable) => Promise<T>,
): Promise<T> {
  let sent = false;
  return readingAs(database, visitor, (db) =>
    act({
      query: async (sql, params) => {
        if (sent) throw new AnimusError('internal.bug', { detail: 'an act of one statement sends a second one' });
        sent = true;
        return db.query(sql, params);
      },
    }),
  );
}

function acting(visitor: Visitor, now?: () => Date): Statement {
  if (visitor.byLink) return actWithLoginLink(Buffer.from(visitor.proof!.reveal(), 'hex'));
  const as = actingAs(visitor, now);
  return 'token' in as ? actWithToken(as.token) : actWithRole(as.person, as.role);
}

/** The events that the visitor may see, as `readPlaces` returns them, in one statement. Raises as `asVisitor`. */
export async function readAsVisitor(
  database: Database,
  visitor: Visitor,
  wanted: readonly Place[],
  limit?: number,
): Promise<readonly (AnyPage | null)[]> {
  return readPlacesAs(database, actingAs(visitor), wanted, limit);
}

/** Raises `http.unauthorized` for a token of an issuer that has expired; others are checked where they are used. */
function actingAs(
  { person, role, claimed, proof, acceptedUntil, byLink }: Visitor,
  now: () => Date = () => new Date(),
): ReadsAs {
  if (byLink) throw new AnimusError('internal.bug', { detail: 'a login link is for one act' });
  if (proof !== null) return { token: Buffer.from(proof.reveal(), 'hex') };
  if (acceptedUntil !== null && acceptedUntil <= now()) {
    throw new AnimusError('http.unauthorized', { detail: 'the token has expired' });
  }
  return { person, role: claimed ?? role };
}
