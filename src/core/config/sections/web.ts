/** `[web]` and `[web.search]`: what `web_fetch` and `web_search` reach. */
import type { Secret } from '../../secrets/secret.ts';
import { httpUrl, oneOf, seconds, table, variableName, webTargets } from '../../toml/fields.ts';
import { key, liveKey, type Settings } from '../../toml/keys.ts';
import { reportConflict, type SectionPlace, section } from '../source/section.ts';

/** Search APIs that `web_search` speaks, with the addresses of the services, and the variables in which their keys are usually kept. */
const SERVICES = {
  searxng: { url: null, apiKeyEnv: null },
  brave: { url: 'https://api.search.brave.com', apiKeyEnv: 'BRAVE_API_KEY' },
  tavily: { url: 'https://api.tavily.com', apiKeyEnv: 'TAVILY_API_KEY' },
} as const;
export type WebSearchKind = keyof typeof SERVICES;
export const WEB_SEARCH_KINDS = Object.keys(SERVICES) as readonly WebSearchKind[];

/** Where `web_search` searches. */
export interface WebSearchConfig {
  readonly kind: WebSearchKind;
  /** Without a trailing slash. */
  readonly url: string;
  /** Null: no key is set. */
  readonly apiKey: Secret | null;
  /** The environment variable that holds the key; null if the endpoint needs none. */
  readonly apiKeyEnv: string | null;
  readonly timeoutSeconds: number;
}

// biome-ignore format: a key per line
const search = {
  kind: key(oneOf(WEB_SEARCH_KINDS), 'the API of the endpoint that [`web_search`](tools.md#web_search) asks'),
  url: key(httpUrl().optional(), 'its address, without a query; none: that of Brave or Tavily. Required for `searxng`: the address of your server'),
  api_key_env: key(variableName().optional(), 'the variable that contains its key; `NAME_FILE` names a file with it, as for all secrets. none: `BRAVE_API_KEY`, `TAVILY_API_KEY`, for `searxng` no key'),
  timeout_seconds: key(seconds(1, 600).default(20), 'time-out of a search, including one retry if the endpoint asks for a short pause'),
};

export const web = section(
  'web',
  // biome-ignore format: a key per line
  {
    allow: liveKey(webTargets().default([]), 'what [`web_fetch`](tools.md#web_fetch) may reach besides the public internet: `"docs.internal:8080"`, `"10.1.0.0/16"`, `"[::1]:8080"`'),
    search: table(search).optional(),
  },
  {
    read: (settings, place) => ({ allow: settings.allow, search: searchOf(settings.search, place) }),
    shown: ({ search: found }) => ({ 'search.api_key': found?.apiKey ? String(found.apiKey) : null }),
    variables: ({ search: found }, { env }) => ({ 'search.api_key': env.secretOrigin(found?.apiKeyEnv ?? '') }),
    secrets: ({ search: found }) =>
      found === null || found.apiKeyEnv === null
        ? []
        : [{ name: found.apiKeyEnv, users: ['daemon'], purpose: 'searching the web' }],
  },
);

/** Null if there is no table: faculties with the tool are refused. */
function searchOf(settings: Settings<typeof search> | null, place: SectionPlace): WebSearchConfig | null {
  if (settings === null) return null;
  const service = SERVICES[settings.kind];
  const url = settings.url ?? service.url;
  const refuse = (detail: string) => reportConflict(place, ['web', 'search', 'url'], detail);
  if (url === null) refuse(`kind "${settings.kind}" needs url, the address of your server`);
  else if (/[?#]/.test(url)) {
    refuse('give the address of the server, without a query; its key belongs in the environment');
  }
  const apiKeyEnv = settings.apiKeyEnv ?? service.apiKeyEnv;
  const apiKey = apiKeyEnv === null ? null : place.env.secret(apiKeyEnv);
  return Object.freeze({ ...settings, url: (url ?? '').replace(/\/+$/, ''), apiKey, apiKeyEnv });
}
