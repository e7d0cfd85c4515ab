/** Refuses what browsers are tricked into: DNS rebinding (the Host header) and pages of other sites (the Origin header). */
import { isIP } from 'node:net';
import { AnimusError } from '../../core/errors/errors.ts';

/** How browsers know this server. */
export interface OwnOrigin {
  /** They reach it by HTTPS. Default: false. */
  readonly behindTls?: boolean;
}

export interface GateRules extends OwnOrigin {
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
  'sec-fetch-site',
  'x-animus-csrf',
  'idempotency-key',
  'content-type',
  'content-encoding',
  'content-length',
]);

/** A look at the headers of a request, by their names in lower case. */
export interface SentHeaders {
  get(name: string): string | null;
}

/** Errors: `http.origin`. Programs send no Origin header; browsers send it with everything that could change something. */
export function checkOrigin(headers: SentHeaders, { allowedOrigins, ...own }: GateRules): void {
  const origin = headers.get('origin');
  if (origin === null || allowedOrigins.includes(origin) || isSameOrigin(headers, own)) return;
  throw new AnimusError('http.origin', { origin: JSON.stringify(origin) });
}

/**
 * Whether the browser says that a page of this server sends the request. `Sec-Fetch-Site` is sent to HTTPS and to the own host, and knows the origin even where a proxy
 * does not pass the Host on; without it, the Origin has to be that of the Host, which has been checked. Without both, nobody says so. Pages can set neither of them.
 */
export function isSameOrigin(headers: SentHeaders, own: OwnOrigin): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = headers.get('origin');
  return origin !== null && origin === originOf(headers.get('host') ?? '', own);
}

/** Errors: `http.origin` for a page that is not of this server, whatever origins are allowed. Programs, which are no pages, pass. */
export function requireOwnPage(headers: SentHeaders, own: OwnOrigin): void {
  const origin = headers.get('origin') ?? headers.get('sec-fetch-site');
  if (origin !== null && !isSameOrigin(headers, own))
    throw new AnimusError('http.origin', { origin: JSON.stringify(origin) });
}

/** The origin of this server as clients see it: a proxy passes the Host on. Parsed, so that nothing of the header is repeated that is not a host. */
export function originOf(host: string, { behindTls = false }: OwnOrigin): string {
  return new URL(`${behindTls ? 'https' : 'http'}://${host}`).origin;
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
