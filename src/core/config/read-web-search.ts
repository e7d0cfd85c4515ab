/** `[web.search]` of animus.toml. */
import { type Problem, problemAt } from '../errors/problem.ts';
import type { StrictDocument } from '../toml/strict-toml.ts';
import type { WebSearchConfig, WebSearchKind } from './config.ts';
import type { ConfigDocument } from './config-schema.ts';
import type { EnvironmentReader } from './environment.ts';

/** Addresses of the services, and the variables in which their keys are usually kept. */
const SERVICES: Readonly<Record<WebSearchKind, { readonly url: string | null; readonly apiKeyEnv: string | null }>> = {
  searxng: { url: null, apiKeyEnv: null },
  brave: { url: 'https://api.search.brave.com', apiKeyEnv: 'BRAVE_API_KEY' },
  tavily: { url: 'https://api.tavily.com', apiKeyEnv: 'TAVILY_API_KEY' },
};

/** The endpoint of web_search; null if there is no table, or with a problem in it, which is added to `problems`. */
export function webSearchOf(
  document: StrictDocument<ConfigDocument>,
  env: EnvironmentReader,
  problems: Problem[],
): WebSearchConfig | null {
  const table = document.sound?.web.search;
  if (table === undefined) return null;
  const refuse = (detail: string) => {
    problems.push(problemAt('config.conflict', document.placeOf('web', 'search', 'url'), { detail }));
    return null;
  };
  const service = SERVICES[table.kind];
  const url = table.url ?? service.url;
  if (url === null) return refuse(`kind "${table.kind}" needs url, the address of your server`);
  if (/[?#]/.test(url))
    return refuse('give the address of the server, without a query; its key belongs into the environment');
  const apiKeyEnv = table.api_key_env ?? service.apiKeyEnv;
  return Object.freeze({
    kind: table.kind,
    url: url.replace(/\/+$/, ''),
    apiKey: apiKeyEnv === null ? null : env.secret(apiKeyEnv),
    apiKeyEnv,
    timeoutSeconds: table.timeout_seconds,
  });
}
