/** The one way to write a host: rules about URLs, `web_fetch` and the proxy of containers compare hosts in this form. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Lower case, ASCII, no dot at the end; an address without brackets in its canonical form, so that 0x7f.1 is 127.0.0.1 here as it is for a resolver. An
 * IPv6 address that leads to an IPv4 address is that one. Null for what is not a host, such as an address with a zone.
 */
export function canonicalHost(written: string): string | null {
  const bare = written.replace(/\.$/, '');
  if (!/^(?:\[[0-9a-f:.]+\]|[\p{L}\p{M}\p{N}._-]+)$/iu.test(bare)) return null;
  const url = URL.parse(`http://${bare}/`);
  const host = url?.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '') ?? '';
  if (host === '') return null;
  return isIP(host) === 0 ? host : canonicalAddress(host);
}

/** The same for an address without brackets. */
export function canonicalAddress(address: string): string {
  const parsed = ipaddr.process(address);
  return (parsed instanceof ipaddr.IPv6 ? (embedded(parsed) ?? parsed) : parsed).toString();
}

/** True if both reach the machine itself, or are the same host. Both in canonical form. */
export function sameMachine(a: string, b: string): boolean {
  return a === b || (isLoopback(a) && isLoopback(b));
}

/** Names of this machine: Linux also connects to it for the address zero. */
function isLoopback(host: string): boolean {
  if (isIP(host) === 0) return host === 'localhost' || host.endsWith('.localhost');
  return host === '::1' || host === '::' || host === '0.0.0.0' || host.startsWith('127.');
}

/** Prefixes behind which an IPv4 address stands, and at which byte: compatible (RFC 4291), SIIT (2765), NAT64 (6052, 8215), 6to4 (3056). */
const PREFIXES = [
  ['::/96', 12],
  ['::ffff:0:0:0/96', 12],
  ['64:ff9b::/96', 12],
  ['64:ff9b:1::/48', 12],
  ['2002::/16', 2],
] as const;

function embedded(address: ipaddr.IPv6): ipaddr.IPv4 | null {
  const bytes = address.toByteArray();
  for (const [prefix, at] of PREFIXES) {
    if (!address.match(ipaddr.IPv6.parseCIDR(prefix))) continue;
    // `::` and `::1` are addresses of their own.
    const isOwn = at === 12 && bytes.slice(0, 15).every((byte) => byte === 0);
    if (!isOwn) return new ipaddr.IPv4(bytes.slice(at, at + 4));
  }
  return null;
}
