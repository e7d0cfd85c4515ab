/** Connections that only reach allowed addresses: the address that was checked is the one that is connected to. */
import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent } from 'undici';
import { messageOf } from '../../core/errors/errors.ts';
import { canonicalHost } from '../../core/text/canonical-host.ts';
import { isPublicAddress, isTarget, type WebTarget } from '../../core/text/web-target.ts';

/** What web tools may reach. */
export interface WebReach {
  /** Allowed beside the public internet. */
  readonly allow: readonly WebTarget[];
  /** Default: the resolver of the system. */
  readonly resolve?: LookupFunction;
}

/** Why a name may not be reached at these addresses, for the model; null if it may. */
export type VetAddresses = (addresses: readonly string[]) => Promise<string | null>;

const CONNECT_MS = 10_000;

/** An address that may not be reached; thrown from inside a connection attempt. */
export class ForbiddenAddress extends Error {}

function notPublic(host: string, address: string): ForbiddenAddress {
  const which = host === address ? host : `${host} has the address ${address}, which`;
  return new ForbiddenAddress(`${which} is not on the public internet`);
}

/** Why the host of a URL that is an address may not be reached; null for names, which are checked when they are resolved. */
export function forbiddenLiteral(url: URL, reach: WebReach): ForbiddenAddress | null {
  return forbiddenHost(url.hostname.replace(/^\[|\]$/g, ''), portOf(url), reach);
}

/** The same for a host without brackets, and a port. */
export function forbiddenHost(host: string, port: number, { allow }: WebReach): ForbiddenAddress | null {
  if (isIP(host) === 0 || isPublicAddress(host) || isTarget(allow, host, host, port)) return null;
  return notPublic(host, host);
}

/** A pool for one origin, with a guarded lookup. `vet`: a further judge of the addresses of a name. */
export function guardedAgent(url: URL, reach: WebReach, vet?: VetAddresses): Agent {
  const guarded = guardedLookup(canonicalHost(url.hostname) ?? url.hostname, portOf(url), reach, vet);
  return new Agent({ connections: 1, connect: { timeout: CONNECT_MS, lookup: guarded } });
}

/**
 * A lookup for one connection. Every address to which its host resolves must be allowed: names that resolve to several are how a filter
 * that looks at one of them is passed. A name that resolves differently later (DNS rebinding) is checked again with that connection.
 */
export function guardedLookup(
  target: string,
  port: number,
  { allow, resolve = lookup }: WebReach,
  vet: VetAddresses = async () => null,
): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const addresses = typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found;
      const forbidden = addresses.find(
        ({ address }) => !isPublicAddress(address) && !isTarget(allow, target, address, port),
      );
      if (forbidden) return callback(notPublic(host, forbidden.address), []);
      const [first] = addresses;
      const answer = (refusal: string | null): void => {
        if (refusal !== null) callback(new ForbiddenAddress(refusal), []);
        else if (options.all === true || !first) callback(null, addresses);
        else callback(null, first.address, first.family);
      };
      const named = addresses.map(({ address }) => address);
      void vetted(vet, named, answer);
    });
  };
}

/** Calls back with why they may not be connected to; a judge that fails lets nothing through. */
async function vetted(vet: VetAddresses, addresses: readonly string[], answer: (refusal: string | null) => void) {
  answer(await vet(addresses).catch(messageOf));
}

function portOf(url: URL): number {
  return Number(url.port || (url.protocol === 'https:' ? 443 : 80));
}
