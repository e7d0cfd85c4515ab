/** Tells clients where to get a token (RFC 9728): MCP clients ask for it when they are refused. */
import type { HttpConfig } from '../../core/config/sections/http.ts';
import { SCOPES } from '../../core/work/people.ts';
import { originOf } from '../door/gate.ts';
import { API_ROOT } from './openapi.ts';

/** Below it, the path of the resource is repeated. */
export const METADATA_PATH = '/.well-known/oauth-protected-resource';

export type MetadataSettings = { readonly behindTls?: boolean; readonly oidc?: HttpConfig['oidc'] };

/** What can be asked for: the API, and the MCP server, which some clients take for a resource of its own. */
const RESOURCES: readonly string[] = [API_ROOT, `${API_ROOT}/mcp`];

/** The document at a path; null: there is none, or no issuer is configured. `host`: a Host header that has been checked. */
export function resourceMetadata(path: string, host: string, settings: MetadataSettings): object | null {
  const resource = path === METADATA_PATH ? API_ROOT : path.slice(METADATA_PATH.length);
  const { oidc } = settings;
  if (!oidc || !RESOURCES.includes(resource)) return null;
  return {
    resource: `${originOf(host, settings)}${resource}`,
    authorization_servers: [oidc.issuer],
    bearer_methods_supported: ['header'],
    ...(oidc.scopePrefix !== null && { scopes_supported: SCOPES.map((scope) => `${oidc.scopePrefix}${scope}`) }),
    resource_name: 'animus',
  };
}

/** The header of a refusal. `path`: of the request. */
export function challenge(path: string, host: string, settings: MetadataSettings): Record<string, string> {
  if (!settings.oidc) return { 'www-authenticate': 'Bearer realm="animus"' };
  const resource = path === `${API_ROOT}/mcp` ? path : API_ROOT;
  const metadata = `${originOf(host, settings)}${METADATA_PATH}${resource}`;
  return { 'www-authenticate': `Bearer realm="animus", resource_metadata="${metadata}"` };
}
