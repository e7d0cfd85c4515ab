/** Refuses what browsers are tricked into: DNS rebinding (the Host header) and pages of other sites (the Origin header). */
import { isIP } from 'node:net';
import { AnimusError } from '../../core/errors/errors.ts';

export interface GateRules {
  /** In lower case. */
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

/**
 * A name in the Host header may be one that an attacker's DNS points to this address, so only addresses, localhost and configured names
 * count. Errors: `http.host`.
 */
export function checkHost(host: string | undefined, { allowedHosts }: GateRules): void {
  const name = URL.parse(`http://${host ?? ''}`)?.hostname ?? '';
  const isAddress = isIP(name) !== 0 || (name.startsWith('[') && isIP(name.slice(1, -1)) === 6);
  if (isAddress || name === 'localhost' || allowedHosts.includes(name)) return;
  throw new AnimusError('http.host', { host: JSON.stringify(host ?? '') });
}

/**
 * If a header appears more than once, a proxy may use one value and we the other. Errors: `http.invalid`. `rawHeaders`: names and values in turn, as
 * Node has them.
 */
export function checkHeaders(rawHeaders: readonly string[]): void {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (!ONLY_ONCE.has(name)) continue;
    if (seen.has(name)) throw new AnimusError('http.invalid', { detail: `the header ${name} appears more than once` });
    seen.add(name);
  }
}

const ONLY_ONCE: ReadonlySet<string> = new Set([
  'host',
  'origin',
  'authorization',
  'idempotency-key',
  'content-type',
  'content-encoding',
  'content-length',
]);

/** Errors: `http.origin`. Programs send no Origin header; browsers send it with everything that could change something. */
export function checkOrigin(origin: string | undefined, { allowedOrigins }: GateRules): void {
  if (origin === undefined || allowedOrigins.includes(origin)) return;
  throw new AnimusError('http.origin', { origin: JSON.stringify(origin) });
}

/** The headers that let the pages of an allowed origin read the answer. */
export function corsHeaders(origin: string | undefined): Record<string, string> {
  if (origin === undefined) return {};
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers':
      'x-request-id, retry-after, idempotency-replayed, etag, location, preference-applied',
    vary: 'origin',
  };
}

/** The answer to a browser that asks whether a page of an allowed origin may send a request. */
export function preflight(origin: string): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders(origin),
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers':
        'authorization, content-type, idempotency-key, last-event-id, if-none-match, mcp-protocol-version, prefer, traceparent',
      'access-control-max-age': '600',
    },
  });
}
