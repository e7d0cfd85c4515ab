/** What a page sends beside the cookie of its session, which other sites can make a browser send, but cannot read. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The CSRF token of a session, made of its secret: it says nothing about the secret, and need not be stored. */
export function csrfToken(session: string): string {
  return createHmac('sha256', session).update('animus csrf').digest('base64url');
}

/** Compares in a time that says nothing about the token. */
export function isCsrfToken(given: string, session: string): boolean {
  const [one, other] = [given, csrfToken(session)].map((text) => Buffer.from(text));
  return one!.length === other!.length && timingSafeEqual(one!, other!);
}
