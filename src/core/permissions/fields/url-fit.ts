/** Whether a pattern over URLs matches a URL. Both are parsed first, so that only what a request would reach is compared. */
import { isIPv4 } from 'node:net';
import { canonicalHost, sameMachine } from '../../text/canonical-host.ts';
import { folded } from '../text/wildcard.ts';
import { globAllows } from './url-path.ts';

/** A pattern such as `https://*.example.org/docs/**`. */
interface UrlPattern {
  readonly protocol: string;
  /** Of the host, after a leading `*.`; empty for any host. */
  readonly host: string;
  readonly subdomains: boolean;
  /** As in a URL: empty for the scheme's own. Null: any. */
  readonly port: string | null;
  /** With a leading `/`. */
  readonly path: string;
}

const PATTERN = /^(https?):\/\/([^/?#]*)(\/[^?#]*)?$/i;

/** Parses a pattern, or says for the person who wrote it what is wrong. */
export function parseUrlPattern(text: string): UrlPattern | { readonly problem: string } {
  const [, scheme, authority, path] = PATTERN.exec(text) ?? [];
  if (scheme === undefined || authority === undefined)
    return { problem: 'expected https://HOST/PATH or http://HOST/PATH; what follows "?" or "#" is not compared' };
  if (authority.includes('@')) return { problem: 'a URL with a user name or a password is never allowed; remove it' };
  const [, written = '', port = ''] = /^(.*?)(?::(\d{1,5}|\*))?$/.exec(authority) ?? [];
  const protocol = `${scheme.toLowerCase()}:`;
  const rest = path === undefined || path === '' ? '/**' : path;
  if (/(^|\/)\.\.?(\/|$)/.test(rest)) return { problem: 'paths are compared without "." and ".."' };
  if (written === '*') return { protocol, host: '', subdomains: true, port: portOf(protocol, port), path: rest };
  const subdomains = written.startsWith('*.');
  const name = subdomains ? written.slice(2) : written;
  const host = name.includes('*') ? null : canonicalHost(name);
  if (host === null)
    return { problem: `${JSON.stringify(written)} is not a host; "*." may only come before a host name` };
  return { protocol, host, subdomains, port: portOf(protocol, port), path: rest };
}

/** True if the pattern allows the URL: it has no login, and its host and path are written without tricks. */
export function urlAllowed(pattern: string, text: string): boolean {
  const parsed = parseUrlPattern(pattern);
  const url = URL.parse(text);
  if ('problem' in parsed || url === null || url.username !== '' || url.password !== '') return false;
  // URL.parse drops these; another program might not.
  if (/[\s\\]/.test(text) || !text.isWellFormed()) return false;
  const host = canonicalHost(url.hostname);
  // An IPv4 address within another is reached in another way.
  if (host === null || (isIPv4(host) && url.hostname.startsWith('['))) return false;
  const segments = segmentsOf(url);
  if (segments === null || segments.slice(0, -1).includes('')) return false;
  return sameOrigin(parsed, url, host, (a, b) => a === b) && globAllows(parsed.path, segments);
}

/** How a pattern that asks or forbids fits the URL: `maybe` if what it reaches cannot be told for certain. */
export function urlTouched(pattern: string, text: string): 'yes' | 'maybe' | 'no' {
  const parsed = parseUrlPattern(pattern);
  const url = URL.parse(text);
  const host = url && canonicalHost(url.hostname);
  if ('problem' in parsed || url === null || host === null) return url?.hostname === '' ? 'no' : 'maybe';
  if (!sameOrigin(parsed, url, host, sameMachine)) return 'no';
  const segments = segmentsOf(url);
  if (segments === null) return 'maybe';
  const plain = segments.map(folded);
  // Many servers take several slashes for one, and leave out one at the end.
  const short = plain.filter((segment) => segment !== '');
  const glob = folded(parsed.path);
  const fits = [plain, short, [...short, '']].some((one) => globAllows(glob, one));
  return fits || globAllows(parsed.path, segments) ? 'yes' : 'no';
}

/** True if every URL that `narrow` fits is one that `wide` fits, as far as that can be seen. */
export function urlCovers(wide: string, narrow: string): boolean {
  const [a, b] = [parseUrlPattern(wide), parseUrlPattern(narrow)];
  if ('problem' in a || 'problem' in b || a.protocol !== b.protocol) return false;
  const port = a.port === null || a.port === b.port;
  const host =
    a.host === b.host
      ? a.subdomains || !b.subdomains
      : a.subdomains && (a.host === '' || b.host.endsWith(`.${a.host}`));
  return port && host && (a.path === b.path || globAllows(a.path, b.path.slice(1).split('/')));
}

function portOf(protocol: string, port: string): string | null {
  if (port === '*') return null;
  return URL.parse(`${protocol}//h:${port}/`)?.port ?? '';
}

/** `host`: that of the URL, in canonical form. */
function sameOrigin(
  { protocol, host: wanted, subdomains, port }: UrlPattern,
  url: URL,
  host: string,
  isSame: (a: string, b: string) => boolean,
): boolean {
  const sameHost = subdomains ? wanted === '' || host.endsWith(`.${wanted}`) : isSame(host, wanted);
  return url.protocol === protocol && sameHost && (port === null || url.port === port);
}

/** The parts of the path, decoded; null if a server might read them in more than one way. */
function segmentsOf(url: URL): readonly string[] | null {
  const segments: string[] = [];
  for (const written of url.pathname.slice(1).split('/')) {
    let segment: string;
    try {
      segment = decodeURIComponent(written);
    } catch {
      return null;
    }
    // oxlint-disable-next-line no-control-regex
    if (/[/\\%;\u0000-\u001f]/.test(segment) || /^\.+$/.test(segment)) return null;
    segments.push(segment);
  }
  return segments;
}
