/** Tokens of an OIDC issuer (RFC 7519, RFC 8725): signature, issuer, audience and times are checked, then its claims say who it is. */
import { type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { JOSEError, JWKSInvalid, JWKSTimeout, JWTExpired } from 'jose/errors';
import type { OidcConfig } from '../../core/config/sections/http.ts';
import { AnimusError, isAnimusError } from '../../core/errors/errors.ts';
import { PERSON_ROLES, type PersonRole, SCOPES, type Scope } from '../../core/work/people.ts';
import { issuerKeys } from './issuer-keys.ts';

/** What a token says of its person. */
export interface Claimed {
  readonly person: string;
  /** The most that the token permits; SQL takes the lower one of this and the role of the person. */
  readonly role: PersonRole;
  readonly scopes: readonly Scope[];
  /** Its `exp`. */
  readonly expiresAt: Date;
  /** The same with the tolerance of clocks. */
  readonly acceptedUntil: Date;
}

export interface Issuer {
  /** Raises `http.unauthorized` for a token that is not accepted, `http.issuer` if the keys cannot be read. */
  claimed(token: string): Promise<Claimed>;
}

/** As in SQL (`animus.vouch`), where `*` is not a person either. */
const NAME = /^(?!\*$)[^\p{White_Space}\p{Cc}]{1,200}$/u;

/** `now`: milliseconds since 1970. */
export function openIssuer(
  config: OidcConfig,
  now: () => number = Date.now,
  keys: JWTVerifyGetKey = issuerKeys({ issuer: config.issuer, jwksUrl: config.jwksUrl, now }),
): Issuer {
  return {
    async claimed(token) {
      const payload = await verified(token, config, keys, now);
      return {
        person: personOf(payload, config),
        role: roleOf(payload, config),
        scopes: scopesOf(payload, config),
        ...expiryOf(payload, config),
      };
    },
  };
}

async function verified(
  token: string,
  { issuer, audience, algorithms, clockToleranceSeconds }: OidcConfig,
  keys: JWTVerifyGetKey,
  now: () => number,
): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience: [...audience],
      algorithms: [...algorithms],
      clockTolerance: clockToleranceSeconds,
      currentDate: new Date(now()),
      requiredClaims: ['exp', 'iat'],
    });
    return payload;
  } catch (error) {
    if (isAnimusError(error)) throw error;
    if (error instanceof JWKSInvalid || error instanceof JWKSTimeout)
      throw new AnimusError('http.issuer', {}, { cause: error });
    if (error instanceof JWTExpired) throw refused('the token has expired');
    // No cause: its message may quote the token.
    if (error instanceof JOSEError || error instanceof TypeError) throw refused('the token is not valid');
    throw error;
  }
}

/** A time that no Date can hold would never be reached. */
function expiryOf(
  payload: JWTPayload,
  { clockToleranceSeconds }: OidcConfig,
): Pick<Claimed, 'expiresAt' | 'acceptedUntil'> {
  const acceptedUntil = new Date((payload.exp! + clockToleranceSeconds) * 1000);
  if (Number.isNaN(acceptedUntil.getTime())) throw refused('the token is not valid');
  return { expiresAt: new Date(payload.exp! * 1000), acceptedUntil };
}

/** An address that the issuer has not verified could be anybody's. */
function personOf(payload: JWTPayload, { personClaim, personPrefix }: OidcConfig): string {
  const name = claimAt(payload, personClaim);
  if (/(^|\.)email$/.test(personClaim) && claimAt(payload, `${personClaim}_verified`) !== true) {
    throw refused('the issuer has not verified the email address');
  }
  // The database replaces an unpaired surrogate, so two names could become one person.
  if (typeof name === 'string' && name.isWellFormed() && NAME.test(personPrefix + name)) return personPrefix + name;
  throw refused(`the token names no person in ${personClaim}`);
}

function roleOf(payload: JWTPayload, { roleClaim, roles }: OidcConfig): PersonRole {
  if (roleClaim === null) return 'operator';
  // Some issuers number their groups.
  const words = [claimAt(payload, roleClaim)]
    .flat()
    .filter((word) => typeof word === 'string' || typeof word === 'number');
  const given = words.map((word) => roles.get(String(word)));
  return PERSON_ROLES.findLast((role) => given.includes(role)) ?? 'submitter';
}

function scopesOf(payload: JWTPayload, { scopePrefix }: OidcConfig): readonly Scope[] {
  if (scopePrefix === null) return SCOPES;
  const given = payload['scope'];
  const words = typeof given === 'string' ? given.split(' ') : [];
  return SCOPES.filter((scope) => words.includes(scopePrefix + scope));
}

/** The claim at a path; only own properties count. */
function claimAt(payload: JWTPayload, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => {
    return value !== null && typeof value === 'object' && Object.hasOwn(value, key)
      ? Reflect.get(value, key)
      : undefined;
  }, payload);
}

function refused(detail: string): AnimusError {
  return new AnimusError('http.unauthorized', { detail });
}
