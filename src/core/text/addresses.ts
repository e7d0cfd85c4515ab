/** The forms of addresses in settings. */

/** True for an absolute http or https URL that carries no credentials and no broken percent-encoding. */
export function isPlainHttpUrl(value: string): boolean {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return false;
  return isDecodable(url.pathname + url.search);
}

/** True if every % begins the code of a byte, and the bytes are UTF-8. */
export function isDecodable(encoded: string): boolean {
  try {
    decodeURIComponent(encoded);
    return true;
  } catch {
    return false;
  }
}

/** The parts of `HOST:PORT`; null for any other text. Port 0 stands for one that is free when somebody listens. */
export function parseListenAddress(value: string): { readonly host: string; readonly port: number } | null {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/@[\]]+)):(\d{1,5})$/.exec(value) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65_535) return null;
  return { host, port: Number(port) };
}

export interface DatabaseHosts {
  /** A connection string for each host, in the order of the URL. */
  readonly urls: readonly string[];
  /** `primary`: a standby is passed over. `any`: the first one that answers is used, also a standby. */
  readonly target: 'primary' | 'any';
}

/**
 * Reads `postgres://a:5432,b:5433/db?target_session_attrs=read-write`, and the same with `?host=a,b&port=5432,5433`; one port may stand for all hosts. A URL with one host
 * is returned as it is. Of several hosts, the primary is used unless `target_session_attrs` is `any`; of one, where it is asked for. Returns what it expected
 * where the URL cannot be used; that never quotes the URL, which may contain a password.
 */
export function databaseHosts(url: string): DatabaseHosts | { readonly expected: string } {
  const [, start = '', login = '', authority = '', path = '', query = ''] = URL_PARTS.exec(url) ?? [];
  if (start === '') return { expected: ONE_HOST };
  const given = query.split('&').filter((pair) => pair !== '');
  const valueOf = (name: string) => new URLSearchParams(given.join('&')).get(name);
  const named = valueOf('host');
  const isOne = !(named ?? authority).includes(',');
  if (isOne && !isUrl(url)) return { expected: ONE_HOST };
  const asked = valueOf('target_session_attrs') ?? (isOne ? 'any' : 'read-write');
  if (!ACCEPTED.has(asked)) return { expected: TARGETS };
  const target = asked === 'any' ? 'any' : 'primary';
  if (isOne) return { urls: [url], target };
  const ports = valueOf('port');
  const places = named === null && ports === null ? placesOf(authority) : placesIn(named ?? hostsIn(authority), ports);
  if (places === null) return { expected: PORTS };
  const rest = given.filter((pair) => !OWN.has(pair.split('=')[0]!)).join('&');
  const urls = places.map((place) => `${start}${login}${place}${path}${rest === '' ? '' : `?${rest}`}`);
  if (!urls.every(isUrl)) return { expected: SEVERAL_HOSTS };
  return { urls, target };
}

const URL_PARTS = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?/i;
const ONE_HOST = 'postgres://user:password@host:port/database';
const SEVERAL_HOSTS = 'postgres://user:password@host:port,host:port/database';
const PORTS = `a name and, if any, a port for each of the hosts: ${SEVERAL_HOSTS}`;
const TARGETS = 'target_session_attrs=read-write, primary or any: animus needs a server that accepts writes';

/** Of libpq's values; the others ask for a server that may not write. */
const ACCEPTED = new Set(['read-write', 'primary', 'any']);
const OWN = new Set(['host', 'port', 'target_session_attrs']);

/** Null if one of them is empty. `a:1,b:2`; a host without a port has the default one. */
function placesOf(authority: string): readonly string[] | null {
  const places = authority.split(',');
  return places.every((place) => /^[^:]/.test(place)) ? places : null;
}

/** The hosts of `a:1,[::1]:2` without their ports, for `?port=`, which takes their place as with libpq. '' if they cannot be read. */
function hostsIn(authority: string): string {
  const bare = authority.split(',').map((place) => place.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1'));
  return isDecodable(authority) ? bare.map((host) => decodeURIComponent(host)).join(',') : '';
}

/** Those of `host=a,b&port=1,2`. A directory is that of a Unix socket. */
function placesIn(named: string, ports: string | null): readonly string[] | null {
  const hosts = named.split(',');
  const given = ports === null || ports === '' ? [] : ports.split(',');
  if (hosts.includes('') || (given.length > 1 && given.length !== hosts.length)) return null;
  return hosts.map((host, nth) => {
    const port = given.length > 1 ? given[nth] : given[0];
    const name = host.includes(':') ? `[${host}]` : encodeURIComponent(host);
    return port ? `${name}:${port}` : name;
  });
}

/** Also of a Unix socket: postgres://%2Fvar%2Frun/db, postgres:///db, postgres://user@/db?host=/var/run. */
function isUrl(value: string): boolean {
  return /^postgres(ql)?:$/.test(URL.parse(value.replace('@/', '@socket/'))?.protocol ?? '');
}
