/** Networks of IP addresses, as settings write them. */
import ipaddr from 'ipaddr.js';

/** An address and how many of its leading bits count. */
export type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Bits before the IPv4 address in an IPv6 address that maps one (RFC 4291, 2.5.5.2). */
const MAPPED_BITS = 96;

/** Reads `10.1.2.3`, `10.1.0.0/16`, `fd00::/8` or `::1`; an IPv4-mapped one becomes IPv4. Null for anything else. */
export function parseNetwork(text: string): Network | null {
  if (ipaddr.isValidCIDR(text)) {
    const [address, bits] = ipaddr.parseCIDR(text);
    const mapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= MAPPED_BITS;
    return mapped ? [address.toIPv4Address(), bits - MAPPED_BITS] : [address, bits];
  }
  const address = parseAddress(text);
  return address === null ? null : [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** The networks of a setting, which was checked. */
export function parseNetworks(texts: readonly string[]): readonly Network[] {
  return texts.map(parseNetwork).filter((network) => network !== null);
}

/** No address is longer, with the name of an interface. */
const LONGEST = 100;

/** Reads an address; an IPv4-mapped one becomes IPv4. Null for anything else, also for short and octal forms. */
export function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (text.length > LONGEST) return null;
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return null;
  return ipaddr.process(text);
}

/** True if the address belongs to the network. */
export function isInNetwork(address: ipaddr.IPv4 | ipaddr.IPv6, [first, bits]: Network): boolean {
  return first.kind() === address.kind() && address.match(first, bits);
}
