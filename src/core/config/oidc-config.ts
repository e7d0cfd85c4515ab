/** `[http.oidc]` of animus.toml: tokens of an OIDC issuer as a way into the API. */
import type { z } from 'zod';
import { type Problem, problemAt } from '../errors/problem.ts';
import { flag, httpUrl, matching, oneOf, seconds, table, tableOf, text, textsMatching } from '../toml/fields.ts';
import type { StrictDocument } from '../toml/strict-toml.ts';
import { PERSON_ROLES, type PersonRole } from '../work/people.ts';

/** Signatures that are checked with a public key. No other is accepted: with a shared secret, whoever checks tokens could make them. */
export const SIGNATURES = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;
type Signature = (typeof SIGNATURES)[number];

export interface OidcConfig {
  /** Exactly the `iss` of the tokens. */
  readonly issuer: string;
  /** One of these has to be in `aud`. */
  readonly audience: readonly string[];
  /** Of the issuer's keys; null: as its discovery document says. */
  readonly jwksUrl: string | null;
  /** Default RS256 and ES256. */
  readonly algorithms: readonly Signature[];
  /** How far clocks may differ; default 30. */
  readonly clockToleranceSeconds: number;
  /** The claim that names the person; default `sub`. Parts of a path are separated by dots. */
  readonly personClaim: string;
  /** Put before the name, default ''. It keeps people of the issuer apart from others of the same names. */
  readonly personPrefix: string;
  /** The claim with the groups or roles; null: the token does not limit the role of its person. */
  readonly roleClaim: string | null;
  /** What the values of that claim permit. */
  readonly roles: ReadonlyMap<string, PersonRole>;
  /** Words of the claim `scope` that begin with it are scopes; null: the token has all. */
  readonly scopePrefix: string | null;
  /** The issuer may be reached without TLS; default false. */
  readonly allowHttp: boolean;
}

const CLAIM = /^[^\s.]+(?:\.[^\s.]+){0,9}$/;

/** The keys of the table. */
export const oidcTable = table({
  issuer: httpUrl(),
  audience: textsMatching(/^\S{1,1000}$/, 'an audience', 'a list of audiences', 20),
  jwks_url: httpUrl().optional(),
  algorithms: textsMatching(
    new RegExp(`^(${SIGNATURES.join('|')})$`),
    `one of ${SIGNATURES.join(', ')}`,
    'a list of algorithms',
    10,
  ).default(['RS256', 'ES256']),
  clock_tolerance_seconds: seconds(0, 300).default(30),
  person_claim: matching(CLAIM, 'the name of a claim').default('sub'),
  person_prefix: matching(/^[^\s]{0,50}$/, 'up to 50 characters without spaces').default(''),
  role_claim: matching(CLAIM, 'the name of a claim').optional(),
  roles: tableOf(text(), oneOf([...PERSON_ROLES])).default({}),
  scope_prefix: matching(/^[^\s]{0,50}$/, 'up to 50 characters without spaces').optional(),
  allow_http: flag().default(false),
});

interface Written {
  readonly http: { readonly oidc?: z.output<typeof oidcTable> | undefined };
}

/** The issuer; null if there is no table. What could let in a stranger is a problem. */
export function oidcOf(document: StrictDocument<Written>, problems: Problem[]): OidcConfig | null {
  const given = document.sound?.http.oidc;
  if (given === undefined) return null;
  const refuse = (key: keyof typeof given, detail: string) =>
    problems.push(problemAt('config.conflict', document.placeOf('http', 'oidc', key), { detail }));
  for (const key of ['issuer', 'jwks_url'] as const) {
    if (given[key]?.startsWith('http:') === true && !given.allow_http && !isLocal(given[key])) {
      refuse(
        key,
        'whoever is between animus and the issuer could replace its keys; use https, or set allow_http = true',
      );
    }
  }
  if (given.audience.length === 0)
    refuse('audience', 'without an audience, tokens for other services would be accepted');
  if (given.algorithms.length === 0) refuse('algorithms', 'name at least one algorithm');
  if (given.role_claim === undefined && Object.keys(given.roles).length > 0) {
    refuse('roles', 'roles has no effect without role_claim');
  }
  return Object.freeze({
    issuer: given.issuer,
    audience: Object.freeze(given.audience),
    jwksUrl: given.jwks_url ?? null,
    algorithms: Object.freeze(given.algorithms as Signature[]),
    clockToleranceSeconds: given.clock_tolerance_seconds,
    personClaim: given.person_claim,
    personPrefix: given.person_prefix,
    roleClaim: given.role_claim ?? null,
    roles: new Map(Object.entries(given.roles)),
    scopePrefix: given.scope_prefix ?? null,
    allowHttp: given.allow_http,
  });
}

function isLocal(url: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
}
