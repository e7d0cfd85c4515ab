/**
 * Where the person is: a page, what is shown on it, and its filters. All of it is in the hash of the address, so that a link shows the same to a colleague,
 * back and forward work, and the console works below any path.
 */
import { signal } from '@preact/signals';

/** `#/work/ID?tab=cost` is page `work`, rest `['ID']`, query `tab=cost`. */
export interface Place {
  readonly page: string;
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}

/** Filters by name. Undefined, null and empty ones are left out of the address. */
export type Query = Readonly<Record<string, string | number | null | undefined>>;

const FIRST_PAGE = 'now';

export const place = signal<Place>(placeOf(''));

/** Follows the address from now on. */
export function startPlace(): void {
  addEventListener('hashchange', readAddress);
  readAddress();
}

function readAddress(): void {
  place.value = placeOf(location.hash);
}

/** Reads the hash of an address. A part that is not well-formed is taken as it stands. */
export function placeOf(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split(/\?(.*)/s, 2);
  const [page = '', ...rest] = path.split('/').map(decoded);
  return {
    page: page === '' ? FIRST_PAGE : page,
    rest: rest.filter((part) => part !== ''),
    query: new URLSearchParams(query),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a page, for a link. */
export function hrefTo(page: string, rest: readonly string[] = [], query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => {
    return value === undefined || value === null || value === '' ? [] : [[name, String(value)]];
  });
  const search = new URLSearchParams(given).toString();
  return `#/${[page, ...rest].map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
}

/** Goes there, as a link does. */
export function goTo(page: string, rest: readonly string[] = [], query: Query = {}): void {
  location.hash = hrefTo(page, rest, query);
}

/** Changes filters of the page that is shown. `replace`: without a step for the back button, as while someone types. */
export function changeQuery(changes: Query, { replace = false } = {}): void {
  const { page, rest, query } = place.value;
  const href = hrefTo(page, rest, { ...Object.fromEntries(query), ...changes });
  if (!replace) location.hash = href;
  else {
    history.replaceState(null, '', href);
    place.value = placeOf(href);
  }
}
