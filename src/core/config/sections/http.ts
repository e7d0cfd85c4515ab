/** `[http]` and `[http.oidc]`: the API on the daemon's one HTTP address. */
import { isIP } from 'node:net';
import { DEFAULT_HTTP } from '../../lifecycle/health.ts';
import { parseListenAddress } from '../../text/addresses.ts';
import {
  count,
  flag,
  httpUrl,
  matching,
  networks,
  oneOf,
  seconds,
  table,
  tableOf,
  text,
  textsMatching,
  variableName,
} from '../../toml/fields.ts';
import { key, type Settings } from '../../toml/keys.ts';
import { PERSON_ROLES } from '../../work/people.ts';
import { reportConflict, type SectionPlace, section, type ValueOf } from '../source/section.ts';

export type HttpConfig = ValueOf<typeof http>;
export type OidcConfig = ReturnType<typeof oidcOf>;

const HOST_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;
const ORIGIN = /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$/;
const CLAIM = /^[^\s.]+(?:\.[^\s.]+){0,9}$/;

const hosts = () => textsMatching(HOST_NAME, 'the name of a host', 'a list of names of hosts', 100);
const origins = () =>
  textsMatching(ORIGIN, 'an origin such as "https://console.example.com"', 'a list of origins', 100);
const claim = () => matching(CLAIM, 'the name of a claim');
const prefix = () => matching(/^[^\s]{0,50}$/, 'up to 50 characters without spaces');

/** Signatures that are checked with a public key. No other is accepted: with a shared secret, anyone who checks tokens could make them. */
const SIGNATURES = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const;
type Signature = (typeof SIGNATURES)[number];
const signatures = () =>
  textsMatching(
    new RegExp(`^(${SIGNATURES.join('|')})$`),
    `one of ${SIGNATURES.join(', ')}`,
    'a list of algorithms',
    SIGNATURES.length,
  );

/** Tokens of an OIDC issuer as a way into the API. */
// biome-ignore format: a key per line
const oidc = {
  issuer: key(httpUrl(), 'an OIDC issuer whose tokens are accepted at the API ([people.md](people.md#tokens-of-an-oidc-issuer)): exactly the `iss` of the tokens'),
  audience: key(textsMatching(/^\S{1,1000}$/, 'an audience', 'a list of audiences', 20), 'the `aud` of a token must contain one of them'),
  jwks_url: key(httpUrl().optional(), 'where its keys are; none: its discovery document says so, at `/.well-known/openid-configuration` below the issuer'),
  algorithms: key(signatures().default(['RS256', 'ES256']), 'the signatures that are accepted, of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512 and EdDSA'),
  clock_tolerance_seconds: key(seconds(0, 300).default(30), 'how far the clocks of the issuer and of this host may differ'),
  person_claim: key(claim().default('sub'), 'the claim that names the person; dots separate the parts of a path. An `email` counts only with `email_verified`'),
  person_prefix: key(prefix().default(''), 'put before the name, so that people of the issuer cannot be confused with others of the same names'),
  role_claim: key(claim().optional(), 'the claim with the groups or roles of the person; none: the token does not limit the role'),
  roles: key(tableOf(text(), oneOf(PERSON_ROLES)).default({}), 'the role that a value `NAME` of that claim permits: `"animus-admins" = "operator"`. The highest one counts; without a match, it is submitter'),
  scope_prefix: key(prefix().optional(), 'words of the claim `scope` that begin with it are scopes, such as `animus:read` for `"animus:"`; none: a token has all scopes'),
  allow_http: key(flag().default(false), 'whether the issuer may be reached without TLS; on the same host it always may'),
};

export const http = section(
  'http',
  // biome-ignore format: a key per line
  {
    api: key(flag().default(false), 'whether the [HTTP API](http.md) is served at `daemon.http`; without it, only health is'),
    console: key(flag().default(true), 'whether the [console](console.md) is served at `/` of the same address; only with the API'),
    behind_tls: key(flag().default(false), 'whether a TLS proxy is in front. Only then may `daemon.http` be an address that is not loopback while the API is on'),
    allowed_hosts: key(hosts().default([]), 'names under which clients reach the API, such as that of the proxy. IP addresses and `localhost` are always allowed'),
    allowed_origins: key(origins().default([]), 'origins such as `"https://console.example.com"` whose pages in a browser may use the API'),
    trusted_proxies: key(networks().default([]), 'proxies in front of the API, such as `"10.0.0.5"` or `"172.16.0.0/12"`. Of a request that comes from one of them, the client\'s address is read from `X-Forwarded-For` or `Forwarded`: the nearest hop that is not a trusted proxy ([http.md](http.md#behind-a-proxy))'),
    max_connections: key(count(10, 100_000).default(1000), 'connections that are open at once while the API is on; without the API, 100'),
    requests_per_minute: key(count(1, 1_000_000).default(1200), 'requests per minute that one person may send to one server'),
    database_url_env: key(variableName().optional(), "the variable that contains the database URL of the API's own login, which needs only the role `animus_gateway`; `NAME_FILE` names a file with it, as for all secrets. none: the daemon's login"),
    oidc: table(oidc).optional(),
  },
  {
    read(settings, place) {
      const { databaseUrlEnv: variable, allowedHosts } = settings;
      checkAddress(settings, place);
      /** The database login of the API; null: the daemon's own. */
      const databaseUrl = variable === null ? null : place.env.secret(variable);
      if (settings.api && variable !== null && databaseUrl === null) {
        reportConflict(place, ['http', 'database_url_env'], `${variable} is not set`);
      }
      return {
        ...settings,
        allowedHosts: Object.freeze(allowedHosts.map((host) => host.toLowerCase())),
        databaseUrl,
        oidc: settings.oidc && oidcOf(settings.oidc, place),
      };
    },
    shown: ({ databaseUrl }) => ({ database_url_env: databaseUrl && String(databaseUrl) }),
    secrets: ({ databaseUrlEnv }) =>
      databaseUrlEnv === null
        ? []
        : [{ name: databaseUrlEnv, users: ['daemon'], purpose: 'the database login of the API' }],
  },
);

/** An API that the network could reach without TLS is a problem. */
function checkAddress({ api, behindTls }: { api: boolean; behindTls: boolean }, place: SectionPlace): void {
  if (!api) return;
  const given = place.document.given('daemon', 'http');
  const written = typeof given === 'string' ? given : DEFAULT_HTTP;
  const address = parseListenAddress(written);
  const refuse = (detail: string) => reportConflict(place, ['http', 'api'], detail);
  if (address === null) refuse('daemon.http is "off", so there is no address for the API');
  else if (!behindTls && !isLoopback(address.host)) refuse(unencrypted(written));
}

/** Why the API does not listen on this address. */
export function unencrypted(address: string): string {
  return `at ${address} the API would send tokens over the network without encryption; listen on 127.0.0.1, or put a TLS proxy in front and set behind_tls = true`;
}

/** True for an address that only this host can reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** What could let in a stranger is a problem. */
function oidcOf(settings: Settings<typeof oidc>, place: SectionPlace) {
  const refuse = (name: keyof typeof oidc, detail: string) => reportConflict(place, ['http', 'oidc', name], detail);
  for (const [name, url] of [
    ['issuer', settings.issuer],
    ['jwks_url', settings.jwksUrl],
  ] as const) {
    if (url?.startsWith('http:') === true && !settings.allowHttp && !isLocal(url)) {
      refuse(name, 'anyone between animus and the issuer could replace its keys; use https, or set allow_http = true');
    }
  }
  if (settings.audience.length === 0)
    refuse('audience', 'without an audience, tokens for other services would be accepted');
  if (settings.algorithms.length === 0) refuse('algorithms', 'name at least one algorithm');
  const roles = new Map(Object.entries(settings.roles));
  if (settings.roleClaim === null && roles.size > 0) refuse('roles', 'roles has no effect without role_claim');
  return Object.freeze({ ...settings, algorithms: settings.algorithms as readonly Signature[], roles });
}

function isLocal(url: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
}
