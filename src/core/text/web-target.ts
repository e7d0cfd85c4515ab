/** Targets of web requests that an operator allows beside the public internet, and whether an address is one of them. */
import ipaddr from 'ipaddr.js';
import { canonicalHost } from './canonical-host.ts';
import { isInNetwork, type Network, parseNetwork } from './networks.ts';

/** A host by name, or a network; on one port, or on every port that web tools use. */
export type WebTarget = { readonly port: number | null } & ({ readonly host: string } | { readonly network: Network });

/** Reads `docs.internal`, `docs.internal:8080`, `10.1.2.3`, `10.1.0.0/16`, `[::1]:8080` or `fd00::/8`; null for anything else. */
export function parseWebTarget(text: string): WebTarget | null {
  const [, bracketed, plain, written] = /^(?:\[([^\]]+)\]|([^[\]]+?))(?::(\d{1,5}))?$/.exec(text) ?? [];
  // An IPv6 address without brackets ends in what looks like a port.
  const isBare = plain !== undefined && (text.match(/:/g) ?? []).length > 1;
  const name = isBare ? text : (bracketed ?? plain);
  const port = isBare || written === undefined ? null : Number(written);
  if (name === undefined || (port !== null && (port < 1 || port > 65_535))) return null;
  const network = parseNetwork(name);
  if (network) return { network, port };
  const host = canonicalHost(name);
  const isName = bracketed === undefined && !isBare && /^[a-z0-9._-]+$/i.test(name) && host !== null;
  return isName && !ipaddr.isValid(host) ? { host, port } : null;
}

/** True if the address, to which `host` resolved, is one of the targets. */
export function isTarget(targets: readonly WebTarget[], host: string, address: string, port: number): boolean {
  const parsed = ipaddr.process(address);
  return targets.some((target) => {
    if (target.port !== null && target.port !== port) return false;
    if ('host' in target) return target.host === host;
    return isInNetwork(parsed, target.network);
  });
}

/**
 * True for a unicast address of the public internet. IPv6 addresses that contain an IPv4 address are refused but for mapped ones,
 * for which the IPv4 address counts. The ranges are those of the IANA registries of special-purpose addresses.
 */
export function isPublicAddress(address: string): boolean {
  const parsed = ipaddr.process(address);
  // Global unicast is 2000::/3 (RFC 4291).
  const isGlobal = parsed.kind() === 'ipv4' || ((parsed.toByteArray()[0] ?? 0) & 0xe0) === 0x20;
  return isGlobal && parsed.range() === 'unicast';
}
