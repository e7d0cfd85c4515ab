/** The addresses of a client: servers of one database. One is used until it fails. */
import { API_ROOT } from './api/routes.ts';
import { ApiError } from './api-error.ts';

export interface Addresses {
  readonly count: number;
  /** The one in use: the address of the API, without a slash at its end. */
  current(): string;
  /** The next one is used from now on, unless another call has gone on already. */
  leave(root: string): void;
}

/** Errors: `client.invalid`. */
export function addressesOf(baseUrl: string | URL | readonly (string | URL)[]): Addresses {
  const given = Array.isArray(baseUrl) ? (baseUrl as readonly (string | URL)[]) : [baseUrl as string | URL];
  const roots = [...new Set(given.map(apiRoot))];
  if (roots.length === 0) throw new ApiError('client.invalid', 'baseUrl is an empty list');
  let used = 0;
  return {
    count: roots.length,
    current: () => roots[used]!,
    leave(root) {
      if (roots[used] === root) used = (used + 1) % roots.length;
    },
  };
}

function apiRoot(baseUrl: string | URL): string {
  const url = URL.canParse(String(baseUrl)) ? new URL(String(baseUrl)) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password + url.search + url.hash !== '') {
    throw new ApiError('client.invalid', 'baseUrl is not an http or https URL without credentials, query and fragment');
  }
  const path = url.pathname.replace(/\/+$/, '');
  return url.origin + (path.endsWith(API_ROOT) ? path : path + API_ROOT);
}
