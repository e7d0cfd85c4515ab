import { getCACertificates } from 'node:tls';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';

/** How connections are made. */
export interface DispatcherSettings {
  /** The URL of an HTTP proxy, perhaps with user and password; HTTPS goes through it by CONNECT. */
  readonly proxy?: string;
  /** Certificate authorities in PEM format, in addition to those that Node trusts (NODE_EXTRA_CA_CERTS included); for the provider and for the proxy. */
  readonly ca?: string;
}

const KEEP_ALIVE_MS = 60_000;

/** A pool of connections. One per provider, because time-out, proxy and authorities belong to the pool. */
export function openDispatcher(connectTimeoutMs: number, { proxy, ca }: DispatcherSettings): Dispatcher {
  const tls = { timeout: connectTimeoutMs, ...(ca !== undefined && { ca: [...getCACertificates('default'), ca] }) };
  if (proxy === undefined) return new Agent({ connect: tls, keepAliveTimeout: KEEP_ALIVE_MS });
  return new ProxyAgent({ uri: proxy, keepAliveTimeout: KEEP_ALIVE_MS, requestTls: tls, proxyTls: tls });
}
