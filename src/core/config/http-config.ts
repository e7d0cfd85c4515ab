/** `[http]` of animus.toml: the API on the daemon's one HTTP address. */
import { isIP } from 'node:net';
import type { z } from 'zod';
import { type Problem, problemAt } from '../errors/problem.ts';
import type { Secret } from '../secrets/secret.ts';
import { parseListenAddress } from '../text/addresses.ts';
import { count, flag, matching, networks, table, textsMatching } from '../toml/fields.ts';
import type { StrictDocument } from '../toml/strict-toml.ts';
import type { EnvironmentReader } from './environment.ts';
import { type OidcConfig, oidcOf, oidcTable } from './oidc-config.ts';

export interface HttpConfig {
  /** Whether the API is served; default false: only health is. */
  readonly api: boolean;
  /** A proxy in front of the daemon speaks TLS; default false. Without it, the API listens on loopback addresses only. */
  readonly behindTls: boolean;
  /** Names that the Host header may carry, in lower case, beside IP addresses and localhost; default none. */
  readonly allowedHosts: readonly string[];
  /** Origins whose pages may use the API; default none. */
  readonly allowedOrigins: readonly string[];
  /** Addresses and networks of proxies whose `X-Forwarded-For` or `Forwarded` is believed (`parseNetwork`); default none. */
  readonly trustedProxies: readonly string[];
  /** How many connections are open at once; default 1000. */
  readonly maxConnections: number;
  /** How many requests a person may send in a minute; default 1200. */
  readonly requestsPerMinute: number;
  /** The database login of the API, as a URL; null: the daemon's own. */
  readonly databaseUrl: Secret | null;
  /** The variable that holds it; null if none is named. */
  readonly databaseUrlEnv: string | null;
  /** The OIDC issuer whose tokens are accepted; null: none. */
  readonly oidc: OidcConfig | null;
}

const HOST_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;
const ORIGIN = /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$/;

/** The keys of the table. */
export const httpTable = table({
  api: flag().default(false),
  behind_tls: flag().default(false),
  allowed_hosts: textsMatching(HOST_NAME, 'the name of a host', 'a list of names of hosts', 100).default([]),
  allowed_origins: textsMatching(
    ORIGIN,
    'an origin such as "https://console.example.com"',
    'a list of origins',
    100,
  ).default([]),
  trusted_proxies: networks().default([]),
  max_connections: count(10, 100_000).default(1000),
  requests_per_minute: count(1, 1_000_000).default(1200),
  database_url_env: matching(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable').optional(),
  oidc: oidcTable.optional(),
});

/** What the table is checked with. */
interface Written {
  readonly http: z.output<typeof httpTable>;
  readonly daemon: { readonly http: string };
}

/** The table with its secret. An API that the network could reach without TLS is a problem. */
export function httpOf(
  document: StrictDocument<Written>,
  env: EnvironmentReader,
  problems: Problem[],
): HttpConfig | null {
  if (document.sound === null) return null;
  const { http, daemon } = document.sound;
  const refuse = (key: keyof typeof http, detail: string) =>
    problems.push(problemAt('config.conflict', document.placeOf('http', key), { detail }));
  const address = parseListenAddress(daemon.http);
  if (http.api && address === null) refuse('api', 'daemon.http is "off", so there is no address for the API');
  if (http.api && address !== null && !http.behind_tls && !isLoopback(address.host)) {
    refuse('api', unencrypted(daemon.http));
  }
  const variable = http.database_url_env;
  const databaseUrl = variable === undefined ? null : env.secret(variable);
  if (http.api && variable !== undefined && databaseUrl === null) refuse('database_url_env', `${variable} is not set`);
  return Object.freeze({
    api: http.api,
    behindTls: http.behind_tls,
    allowedHosts: Object.freeze(http.allowed_hosts.map((host) => host.toLowerCase())),
    allowedOrigins: Object.freeze(http.allowed_origins),
    trustedProxies: Object.freeze(http.trusted_proxies),
    maxConnections: http.max_connections,
    requestsPerMinute: http.requests_per_minute,
    databaseUrl,
    databaseUrlEnv: variable ?? null,
    oidc: oidcOf(document, problems),
  });
}

/** Why the API does not listen on this address. */
export function unencrypted(address: string): string {
  return `at ${address} the API would send tokens over the network without encryption; listen on 127.0.0.1, or put a proxy with TLS in front and set behind_tls = true`;
}

/** True for an address that only this host can reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
