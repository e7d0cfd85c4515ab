/** Finds out who sends a request, and whether the token has the scope of the route. */
import { hash } from 'node:crypto';
import { isAnimusError } from '../../core/errors/errors.ts';
import type { ConnectionUse } from '../../core/lifecycle/health.ts';
import type { Scope } from '../../core/work/people.ts';
import type { Login, LookUp } from '../login/login.ts';
import { requireScope, type Visitor } from '../login/visitor.ts';
import { clientNetwork } from './client-address.ts';
import { type Credential, credentialOf, type Shown } from './credential.ts';
import { type OwnOrigin, requireOwnPage } from './gate.ts';
import type { RateLimit } from './limits.ts';
import { limitLookUps } from './look-ups.ts';

/** A request whose sender is not known yet. */
export interface Caller {
  readonly shown: Shown;
  /** `clientAddress`. */
  readonly address: string;
  /** Streams have a limit of their own: those that are opened again, such as after a restart, leave their person its requests. */
  readonly use: ConnectionUse;
  /** Aborts when the client has left, or the server ends. */
  readonly signal: AbortSignal;
}

export interface Doorkeeper {
  /** Looks the token up. `scope` null: each thing that is asked for is checked later. Errors: `http.unauthorized`, `http.csrf`, `http.forbidden`, `http.too_many`, `db.*`. */
  admit(caller: Caller, scope: Scope | null): Promise<Visitor>;
  /**
   * Admits a visitor to an answer that is only given if a transaction of its own has accepted the token (`asVisitor`, `readingAs`). A token that was good
   * before is not looked up in front of it, but after an error: a token that is not good any more goes before all other errors. Of such a visitor only what
   * never changes of a token holds, which is all but the role. Errors: as `admit`, and those of `answer`.
   */
  admitTo<T>(caller: Caller, scope: Scope, answer: (visitor: Visitor) => Promise<T>): Promise<T>;
  /** The same for who shows something else than the request has. A page of another site may not do that (`http.origin`). */
  admitWith(caller: Caller, credential: Credential, scope: Scope): Promise<Visitor>;
  /** How browsers know this server. */
  readonly own: OwnOrigin;
}

/** Failed attempts from one address in a minute. */
export const FAILURES_PER_MINUTE = 60;
/** How many tokens are remembered that were good. */
const MOST_KNOWN = 10_000;
/** How many tokens that were not good before are looked up at once. The API has 5 connections to the database, or more. */
const LOOK_UPS = 2;

/**
 * Every token is looked up in the database for each request, so nobody is refused for what others send: behind a proxy or a published port, all clients may
 * have one address. Wrong tokens are limited by address once they are known to be wrong, and their look-ups by number, so that they cannot take all
 * connections to the database. A look-up is one statement with an index; a token of the wrong form needs none.
 */
export function doorkeeper(
  login: Login,
  limits: Readonly<Record<ConnectionUse, RateLimit>>,
  failures: RateLimit,
  own: OwnOrigin,
): Doorkeeper {
  const known = new Map<string, Visitor>();
  const strangers = limitLookUps(LOOK_UPS);

  const lookUp = async (credential: Credential | null, { address, signal }: Caller): Promise<Visitor> => {
    const digest = digestOf(credential);
    const turn: LookUp = (look) => (known.has(digest) ? look() : strangers.run(signal, look));
    const visitor = await visitorBy(login, credential, turn).catch((error: unknown) => {
      if (!isAnimusError(error, 'http.unauthorized')) throw error;
      known.delete(digest);
      const why = `${String(error.details['detail'])}; too many wrong tokens came from ${address}`;
      failures.take(clientNetwork(address), why);
      throw error;
    });
    if (!visitor.byLink) known.set(digest, visitor);
    if (known.size > MOST_KNOWN) known.delete(known.keys().next().value!);
    return visitor;
  };
  const allowed = (visitor: Visitor, { use }: Caller, scope: Scope | null): Visitor => {
    limits[use].take(visitor.actor);
    if (scope !== null) requireScope(visitor, scope);
    return visitor;
  };

  return {
    own,
    admit: async (caller, scope) => allowed(await lookUp(credentialOf(caller.shown, own), caller), caller, scope),
    async admitTo(caller, scope, answer) {
      const credential = credentialOf(caller.shown, own);
      const before = known.get(digestOf(credential));
      // What a token of an issuer says is checked by its signature, each time.
      if (before === undefined || before.proof === null)
        return answer(allowed(await lookUp(credential, caller), caller, scope));
      try {
        return await answer(allowed(before, caller, scope));
      } catch (error) {
        if (!isOfDatabase(error)) await lookUp(credential, caller);
        throw error;
      }
    },
    async admitWith(caller, credential, scope) {
      requireOwnPage(caller.shown.headers, own);
      return allowed(await lookUp(credential, caller), caller, scope);
    },
  };
}

function visitorBy(login: Login, credential: Credential | null, turn: LookUp): Promise<Visitor> {
  if (credential === null) return login.visitor(undefined, turn);
  const { kind, text } = credential;
  switch (kind) {
    case 'bearer':
      return login.visitor(text, turn);
    case 'session':
      return login.session(text, turn);
    case 'link':
      return login.link(text, turn);
    default:
      return kind satisfies never;
  }
}

function digestOf(credential: Credential | null): string {
  return hash('sha256', credential === null ? '' : `${credential.kind} ${credential.text}`, 'base64');
}

/** Then the token was accepted, or the database does not answer. */
function isOfDatabase(error: unknown): boolean {
  return isAnimusError(error) && error.code.startsWith('db.');
}
