/** How a pattern over URLs and a URL fit. Both are parsed first, so that only what a request would reach is compared. */
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
  const host = name.includes('*') ? null : URL.parse(`${protocol}//${name}/`);
  if (host === null || host.hostname === '' || host.port !== '')
    return { problem: `${JSON.stringify(written)} is not a host; "*." may only stand before a host name` };
  return { protocol, host: bare(host.hostname), subdomains, port: portOf(protocol, port), path: rest };
}

/** True if the pattern allows the URL: it has no login, and its path is written without tricks. */
export function urlAllowed(pattern: string, text: string): boolean {
  const parsed = parseUrlPattern(pattern);
  const url = URL.parse(text);
  if ('problem' in parsed || url === null || url.username !== '' || url.password !== '') return false;
  // URL.parse drops these; another program might not.
  if (/[\s\\]/.test(text) || !text.isWellFormed()) return false;
  const segments = segmentsOf(url);
  return segments !== null && sameOrigin(parsed, url) && globAllows(parsed.path, segments);
}

/** How a pattern that asks or forbids fits the URL: `maybe` if what it reaches cannot be told for certain. */
export function urlTouched(pattern: string, text: string): 'yes' | 'maybe' | 'no' {
  const parsed = parseUrlPattern(pattern);
  const url = URL.parse(text);
  if ('problem' in parsed || url === null) return 'maybe';
  if (!sameOrigin(parsed, url)) return 'no';
  const segments = segmentsOf(url);
  if (segments === null) return 'maybe';
  const lower = segments.map((segment) => segment.toLowerCase());
  return globAllows(parsed.path, segments) || globAllows(parsed.path.toLowerCase(), lower) ? 'yes' : 'no';
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

function sameOrigin({ protocol, host, subdomains, port }: UrlPattern, url: URL): boolean {
  const name = bare(url.hostname);
  const sameHost = subdomains ? host === '' || name.endsWith(`.${host}`) : name === host;
  return url.protocol === protocol && sameHost && (port === null || url.port === port);
}

/** A dot at the end of a host says that the name is complete; it reaches the same host. */
function bare(hostname: string): string {
  return hostname.replace(/\.$/, '');
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
