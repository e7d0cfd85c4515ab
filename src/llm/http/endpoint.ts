import type { IncomingHttpHeaders } from 'node:http';
import type { LlmRequest } from '../client.ts';
import { type Fault, fault } from '../fault.ts';
import type { Wire } from '../wire.ts';
import { showUrl } from './mask.ts';

/**
 * The base URL with a path appended; its query (`?api-version=…`) stays, its user and password go into a header. A base
 * that ends in the `/v1` which the path begins with is taken as meant: people write both.
 */
export function endpointUrl(baseUrl: URL, path: string): URL {
  const url = new URL(baseUrl);
  const base = url.pathname.replace(/\/+$/, '');
  url.pathname = path.startsWith('/v1/') && base.endsWith('/v1') ? `${base}${path.slice(3)}` : `${base}${path}`;
  url.username = '';
  url.password = '';
  url.hash = '';
  return url;
}

/** The provider's headers, then HTTP Basic from the base URL where there is no key, then the configured extra ones. */
export function authHeaders(
  endpoint: {
    readonly baseUrl: URL;
    readonly apiKey: string | null;
    readonly headers: Readonly<Record<string, string>>;
  },
  wire: Pick<Wire, 'headers'>,
  request: LlmRequest,
): Record<string, string> {
  const { username, password } = endpoint.baseUrl;
  const headers = wire.headers(endpoint.apiKey, request);
  if (endpoint.apiKey === null && (username || password)) {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`;
  }
  return { ...headers, ...endpoint.headers };
}

/** A redirect is a wrong base URL: following it would carry the key to another place. */
export function redirectFault(status: number, headers: IncomingHttpHeaders, url: URL): Fault | null {
  if (status < 300 || status > 399) return null;
  const target =
    typeof headers.location === 'string' && URL.canParse(headers.location, url.href) ? headers.location : null;
  const where = target ? ` to ${showUrl(new URL(target, url))}` : '';
  const message = `${showUrl(url)} redirects${where}; redirects are not followed, set base_url to the final address`;
  return fault('connection', message, { httpStatus: status, retryable: false });
}
