/** Finds out who sends a request, and whether the token is good for the route. */
import { createHash } from 'node:crypto';
import { AnimusError, isAnimusError } from '../../core/errors/errors.ts';
import type { Scope } from '../../core/work/people.ts';
import type { Login } from '../login/login.ts';
import type { Visitor } from '../login/visitor.ts';
import type { RateLimit } from './limits.ts';

export interface Doorkeeper {
  /** `scope` null: each thing that is asked for is checked later. Errors: `http.unauthorized`, `http.forbidden`, `http.too_many`, `db.*`. */
  admit(authorization: string | undefined, address: string, scope: Scope | null): Promise<Visitor>;
}

/** Failed attempts from one address in a minute. */
export const FAILURES_PER_MINUTE = 60;
/** How many tokens are remembered as good. */
const MOST_KNOWN = 10_000;

/**
 * Guesses from one address are limited before they reach the database. Behind a proxy all clients have one address, so a token that was
 * good before is asked about in any case.
 */
export function doorkeeper(login: Login, requests: RateLimit, failures: RateLimit): Doorkeeper {
  const known = new Set<string>();
  return {
    async admit(authorization, address, scope) {
      const digest = createHash('sha256')
        .update(authorization ?? '')
        .digest('base64');
      if (!known.has(digest)) failures.check(address);
      const visitor = await login.visitor(authorization).catch((error: unknown) => {
        if (isAnimusError(error, 'http.unauthorized')) {
          known.delete(digest);
          failures.take(address);
        }
        throw error;
      });
      remember(known, digest);
      requests.take(visitor.actor);
      if (scope !== null && !visitor.scopes.includes(scope)) {
        throw new AnimusError('http.forbidden', { detail: `this token is not for scope ${scope}` });
      }
      return visitor;
    },
  };
}

function remember(known: Set<string>, digest: string): void {
  known.add(digest);
  if (known.size > MOST_KNOWN) known.delete(known.values().next().value!);
}
