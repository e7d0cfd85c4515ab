import type { HttpProviderKind } from './config.ts';
import type { ProviderAccess } from './provider-access.ts';

/** The base URLs of the vendors' own APIs. */
export const BUILT_IN_BASE_URLS = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com/v1',
} as const;

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
