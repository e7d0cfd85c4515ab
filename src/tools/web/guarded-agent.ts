/** Connections that only reach allowed addresses: the address that was checked is the one that is connected to. */
import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent } from 'undici';
import { isPublicAddress, isTarget, type WebTarget } from '../../core/text/web-target.ts';

/** What web tools may reach. */
export interface WebReach {
  /** Allowed beside the public internet. */
  readonly allow: readonly WebTarget[];
  /** Default: the resolver of the system. */
  readonly resolve?: LookupFunction;
}

const CONNECT_MS = 10_000;

/** An address that may not be reached; thrown from inside a connection attempt. */
export class ForbiddenAddress extends Error {
  constructor(host: string, address: string) {
    const which = host === address ? host : `${host} has the address ${address}, which`;
    super(`${which} is not on the public internet`);
  }
}

/** Why the host of a URL that is an address may not be reached; null for names, which are checked when they are resolved. */
export function forbiddenLiteral(url: URL, { allow }: WebReach): ForbiddenAddress | null {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 0 || mayReach(allow, url, host)) return null;
  return new ForbiddenAddress(host, host);
}

/**
 * A pool for one origin. Every address to which its host resolves must be allowed: names that resolve to several are how a filter
 * that looks at one of them is passed. A name that resolves differently later (DNS rebinding) is checked again with that connection.
 */
export function guardedAgent(url: URL, { allow, resolve = lookup }: WebReach): Agent {
  const guarded: LookupFunction = (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const addresses = typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found;
      const forbidden = addresses.find(({ address }) => !mayReach(allow, url, address));
      if (forbidden) return callback(new ForbiddenAddress(host, forbidden.address), []);
      const [first] = addresses;
      if (options.all === true || !first) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
  return new Agent({ connections: 1, connect: { timeout: CONNECT_MS, lookup: guarded } });
}

function mayReach(allow: readonly WebTarget[], url: URL, address: string): boolean {
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  return isPublicAddress(address) || isTarget(allow, url.hostname, address, port);
}
