/** The cookie with which a browser keeps a session. */
import type { Secret } from '../../core/secrets/secret.ts';
import type { OwnOrigin } from './gate.ts';

/** Its name. */
export const SESSION_COOKIE = 'animus_session';

/**
 * Without Path, it belongs to the directory of the path under which the browser knows `/api/v1/sessions`: that holds below any prefix of a proxy, and for all of
 * `/api/v1` alone. Scripts cannot read it, and no other site makes the browser send it.
 */
const ATTRIBUTES = 'HttpOnly; SameSite=Strict';

/** The header that sets the cookie. `expiresAt`: when the browser forgets it. */
export function setCookie(session: Secret, expiresAt: Date, { behindTls = false }: OwnOrigin): string {
  const seconds = Math.max(0, Math.floor((expiresAt.getTime() - Date.now()) / 1000));
  return `${SESSION_COOKIE}=${session.reveal()}; Max-Age=${seconds}; ${ATTRIBUTES}${behindTls ? '; Secure' : ''}`;
}

/** The header that removes it. */
export function clearCookie({ behindTls = false }: OwnOrigin): string {
  return `${SESSION_COOKIE}=; Max-Age=0; ${ATTRIBUTES}${behindTls ? '; Secure' : ''}`;
}

/** The secret in a `Cookie` header; null: none. With two, it is not known which of them the server has set: neither counts. */
export function sessionIn(header: string | null): string | null {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  const found = pairs.filter((pair) => pair.startsWith(`${SESSION_COOKIE}=`));
  return found.length === 1 ? found[0]!.slice(SESSION_COOKIE.length + 1) : null;
}
