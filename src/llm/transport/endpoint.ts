import { credentialsOf, type Secretive } from './mask.ts';

/**
 * The base URL with a path appended, and the query of both (`?api-version=…`). User and password go into a header. A `/v1`
 * at the end of the base and the start of the path is used once: people write both forms.
 */
export function endpointUrl(baseUrl: URL, pathAndQuery: string): URL {
  const [path = '', query = ''] = pathAndQuery.split('?');
  const url = new URL(baseUrl);
  for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value);
  const base = url.pathname.replace(/\/+$/, '');
  url.pathname = path.startsWith('/v1/') && base.endsWith('/v1') ? `${base}${path.slice(3)}` : `${base}${path}`;
  url.username = '';
  url.password = '';
  url.hash = '';
  return url;
}

/** The provider's headers, then HTTP Basic from the base URL if there is no key, then the configured extra headers. */
export function authHeaders(
  { apiKey, baseUrl, headers }: Secretive,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const pair = apiKey === null ? credentialsOf(baseUrl).join(':') : '';
  const basic = pair !== '' && { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  return { ...own, ...basic, ...headers };
}
