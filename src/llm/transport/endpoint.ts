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
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const { username, password } = endpoint.baseUrl;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const basic = endpoint.apiKey === null && pair !== ':';
  return {
    ...own,
    ...(basic && { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }),
    ...endpoint.headers,
  };
}
