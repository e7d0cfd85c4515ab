import type { OidcConfig } from '../../core/config/oidc-config.ts';

/** The settings of `[http.oidc]`, as `animus config` shows them; null where nothing is set. */
export function oidcSettings(oidc: OidcConfig | null): readonly (readonly [string, string | number | null])[] {
  return [
    ['issuer', oidc && oidc.issuer],
    ['audience', oidc && oidc.audience.join(', ')],
    ['jwks_url', oidc && oidc.jwksUrl],
    ['algorithms', oidc && oidc.algorithms.join(', ')],
    ['clock_tolerance_seconds', oidc && oidc.clockToleranceSeconds],
    ['person_claim', oidc && oidc.personClaim],
    ['person_prefix', oidc && (oidc.personPrefix || null)],
    ['role_claim', oidc && oidc.roleClaim],
    ...[...(oidc?.roles ?? [])].map(([name, role]) => [`roles.${JSON.stringify(name)}`, role] as const),
    ['scope_prefix', oidc && oidc.scopePrefix],
    ['allow_http', oidc && String(oidc.allowHttp)],
  ];
}
