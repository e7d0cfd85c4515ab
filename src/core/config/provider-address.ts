import type { HttpProviderConfig, HttpProviderKind } from './config.ts';
import type { EnvironmentReader } from './environment.ts';
import type { ProviderAccess } from './provider-access.ts';

/** The base URLs of the vendors' own APIs. */
const BUILT_IN_BASE_URLS = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com/v1',
} as const;

/** Providers that need no entry in animus.toml. */
export const BUILT_IN = ['anthropic', 'openai'] as const;

/** What the environment sets for a built-in provider: the address without a trailing slash, and the key. */
export function builtInFromEnvironment(
  name: (typeof BUILT_IN)[number],
  env: EnvironmentReader,
): Pick<HttpProviderConfig, 'baseUrl' | 'apiKey' | 'apiKeyEnv'> {
  const apiKeyEnv = `${name.toUpperCase()}_API_KEY`;
  const url = env.url(`${name.toUpperCase()}_BASE_URL`) ?? BUILT_IN_BASE_URLS[name];
  return { baseUrl: bare(url), apiKey: env.secret(apiKeyEnv), apiKeyEnv };
}

/** A base URL without the slashes at its end. */
export function bare(url: string): string {
  return url.replace(/\/+$/, '');
}

/** The vendor's base URL, which requires a key; null for a kind without one address. */
export function vendorUrl(kind: HttpProviderKind): string | null {
  const urls: Readonly<Partial<Record<HttpProviderKind, string>>> = BUILT_IN_BASE_URLS;
  return urls[kind] ?? null;
}

/** The base URL of a provider whose table has none; null: it has to be set. */
export function defaultUrl(kind: HttpProviderKind, { cloud }: Pick<ProviderAccess, 'cloud'>): string | null {
  switch (kind) {
    case 'anthropic':
    case 'openai':
      return BUILT_IN_BASE_URLS[kind];
    case 'azure':
      return null;
    case 'bedrock':
      return `https://bedrock-runtime.${cloud.region}.amazonaws.com${cloud.region?.startsWith('cn-') ? '.cn' : ''}`;
    case 'vertex':
      return vertexUrl(cloud.location ?? 'global');
    case 'ollama':
      return 'http://127.0.0.1:11434';
    default:
      return kind satisfies never;
  }
}

/** `global` and the multi-regions have hosts of their own. */
function vertexUrl(location: string): string {
  if (location === 'global') return 'https://aiplatform.googleapis.com';
  if (location === 'us' || location === 'eu') return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}
