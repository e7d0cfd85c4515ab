/** Hosts that a container may reach through the proxy, as an allow-list names them. */
import { isIP } from 'node:net';
import { canonicalHost } from './canonical-host.ts';

/** One entry of an allow-list. */
export interface EgressHost {
  /** In lower case; international names in their ASCII form; an address in its canonical form, without brackets. */
  readonly host: string;
  /** True for `*.host`: every name below it, not itself. */
  readonly below: boolean;
  /** Null: 80 and 443. */
  readonly port: number | null;
}

/** The ports of an entry that names none. */
const WEB_PORTS: ReadonlySet<number> = new Set([80, 443]);

/** Reads `pypi.org`, `*.example.com`, `git.example.com:8443`, `192.0.2.7:8080` or `[2001:db8::1]:443`; null for anything else. */
export function parseEgressHost(text: string): EgressHost | null {
  const [, written, digits] = /^(\[[^\]]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (written === undefined) return null;
  const port = digits === undefined ? null : Number(digits);
  if (port !== null && (port < 1 || port > 65_535)) return null;
  const below = written.startsWith('*.');
  const host = canonicalHost(below ? written.slice(2) : written);
  // Below the end of a name would be a whole country, or everything.
  if (host === null || (below && (isIP(host) !== 0 || !host.includes('.')))) return null;
  return { host, below, port };
}

/** True if an entry of the list allows this host (as `canonicalHost` gives it) on this port. */
export function allowsEgress(list: readonly EgressHost[], host: string, port: number): boolean {
  return list.some((entry) => {
    const samePort = entry.port === null ? WEB_PORTS.has(port) : entry.port === port;
    return samePort && (entry.below ? host.endsWith(`.${entry.host}`) : host === entry.host);
  });
}
