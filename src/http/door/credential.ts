/** What a request shows to say who sends it: a token, or the session of a browser. */
import { AnimusError } from '../../core/errors/errors.ts';
import { isCsrfToken } from '../../core/secrets/csrf-token.ts';
import { isSameOrigin, type OwnOrigin } from './gate.ts';
import { sessionIn } from './session-cookie.ts';

/** Of a request: its method, and its headers by their names in lower case. */
export interface Shown {
  readonly method: string;
  readonly headers: { get(name: string): string | null };
}

export interface Credential {
  /** `bearer`: an `Authorization` header. `link`: the secret of a login link. */
  readonly kind: 'bearer' | 'session' | 'link';
  readonly text: string;
}

/** The secret with which the sender of a request was admitted. */
export function presentedSecret({ headers }: Pick<Shown, 'headers'>): string {
  return headers.get('authorization') ?? sessionIn(headers.get('cookie')) ?? '';
}

/** The header that a page sends with every change. */
export const CSRF_HEADER = 'x-animus-csrf';

/**
 * Null: nothing. The cookie counts only without an `Authorization` header, and only if the browser says that a page of this server sends the request. Errors:
 * `http.csrf` for a change by a session without its CSRF token.
 */
export function credentialOf({ method, headers }: Shown, own: OwnOrigin): Credential | null {
  const authorization = headers.get('authorization');
  if (authorization !== null) return { kind: 'bearer', text: authorization };
  const session = sessionIn(headers.get('cookie'));
  if (session === null || !isSameOrigin(headers, own)) return null;
  if (method !== 'GET' && method !== 'HEAD' && !isCsrfToken(headers.get(CSRF_HEADER) ?? '', session)) {
    throw new AnimusError('http.csrf');
  }
  return { kind: 'session', text: session };
}
