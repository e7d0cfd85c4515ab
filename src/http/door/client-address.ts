/** The address of the client, also behind proxies. */
import type { IncomingMessage } from 'node:http';
import { isInNetwork, type Network, parseAddress } from '../../core/text/networks.ts';

/** A look at a request: its peer and its headers. */
type Received = Pick<IncomingMessage, 'headers'> & { readonly socket: { readonly remoteAddress?: string | undefined } };

/**
 * The address of who sends a request; an IPv4-mapped one as IPv4. If the peer is a trusted proxy, it is the nearest hop in `Forwarded`
 * (RFC 7239) or `X-Forwarded-For` that is not trusted: what stands left of it may be invented. An entry that is not an address ends the
 * search, and the hop before it counts. If both headers are there and differ, the peer counts, because most proxies write one of them and
 * pass the other on as the client sent it. Empty for a peer without an address.
 */
export function clientAddress({ headers, socket }: Received, trusted: readonly Network[]): string {
  const peer = parseAddress(withoutInterface(socket.remoteAddress ?? ''));
  if (peer === null) return '';
  const found = [forwardedHops(headers['forwarded']), listedHops(headers['x-forwarded-for'])]
    .filter((hops) => hops !== null)
    .map((hops) => nearestStranger(peer.toString(), hops, trusted));
  return new Set(found).size === 1 ? found[0]! : peer.toString();
}

/** The network that limits count as one client: an IPv6 client chooses among the addresses of its /64. */
export function clientNetwork(address: string): string {
  const parsed = parseAddress(address);
  if (parsed === null || parsed.kind() === 'ipv4') return address;
  const parts = parsed.toNormalizedString().split(':');
  return `${parts.slice(0, 4).join(':')}::/64`;
}

/** `hops`: from the client to the server; null stands for one that is not an address. */
function nearestStranger(peer: string, hops: readonly (string | null)[], trusted: readonly Network[]): string {
  let nearest = peer;
  for (const hop of hops.toReversed()) {
    if (hop === null || !isTrusted(nearest, trusted)) return nearest;
    nearest = hop;
  }
  return nearest;
}

function isTrusted(address: string, trusted: readonly Network[]): boolean {
  const parsed = parseAddress(address);
  return parsed !== null && trusted.some((network) => isInNetwork(parsed, network));
}

function listedHops(header: string | string[] | undefined): readonly (string | null)[] | null {
  return header === undefined ? null : [header].flat().join(',').split(',').map(nodeAddress);
}

/** Of `for=192.0.2.60;proto=http, for="[2001:db8::1]:4711"`. */
function forwardedHops(header: string | string[] | undefined): readonly (string | null)[] | null {
  if (header === undefined) return null;
  return splitOutsideQuotes([header].flat().join(','), ',').map((element) => {
    const named = splitOutsideQuotes(element, ';').flatMap((pair) => {
      const [, quoted, plain] = /^\s*for\s*=\s*(?:"([^"\\]*)"|([^"\s]*))\s*$/i.exec(pair) ?? [];
      return quoted ?? plain ?? [];
    });
    return named.length === 1 ? nodeAddress(named[0]!) : null;
  });
}

/** A quote that does not end takes the rest with it. */
function splitOutsideQuotes(text: string, separator: ',' | ';'): readonly string[] {
  return text.match(separator === ',' ? /(?:"[^"]*(?:"|$)|[^",])+/g : /(?:"[^"]*(?:"|$)|[^";])+/g) ?? [];
}

/** The address of `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1` or `[2001:db8::1]:80`; null for anything else. */
function nodeAddress(text: string): string | null {
  const [, v4, bracketed, plain] =
    /^(?:([\d.]+)(?::\d{1,5})?|\[([^\]]+)\](?::\d{1,5})?|([^[\]]+))$/.exec(text.trim()) ?? [];
  return parseAddress(withoutInterface(v4 ?? bracketed ?? plain ?? ''))?.toString() ?? null;
}

/** A link-local address has the name of an interface. */
function withoutInterface(address: string): string {
  return address.split('%', 1)[0]!;
}
