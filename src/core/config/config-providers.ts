/** `[providers.*]` and `[models.*]` of animus.toml. */
import { resolve } from 'node:path';
import { type Problem, problemAt } from '../errors/problem.ts';
import type { StrictDocument } from '../toml/strict-toml.ts';
import type { HttpProviderKind, ModelConfig, ProviderConfig } from './config.ts';
import type { ConfigDocument } from './config-schema.ts';
import type { ConfigSources } from './config-sources.ts';
import type { EnvironmentReader } from './environment.ts';

/** The base URLs of the vendors' own APIs. A kind without an entry has no vendor. */
const BUILT_IN_BASE_URLS = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com/v1',
} as const;
/** Providers that need no entry in animus.toml. */
export const BUILT_IN = ['anthropic', 'openai'] as const;

/** The vendor's base URL; null for a kind without a vendor, whose providers must set base_url. */
export function vendorUrl(kind: HttpProviderKind): string | null {
  const urls: Readonly<Partial<Record<HttpProviderKind, string>>> = BUILT_IN_BASE_URLS;
  return urls[kind] ?? null;
}

/** The built-in providers and those of the file. A provider with a mistake is left out and added to `problems`. */
export function providersOf(
  document: StrictDocument<ConfigDocument>,
  env: EnvironmentReader,
  sources: ConfigSources,
  problems: Problem[],
): ReadonlyMap<string, ProviderConfig> {
  const providers = new Map<string, ProviderConfig>();
  for (const name of BUILT_IN) {
    const apiKeyEnv = `${name.toUpperCase()}_API_KEY`;
    const baseUrl = env.url(`${name.toUpperCase()}_BASE_URL`) ?? BUILT_IN_BASE_URLS[name];
    providers.set(
      name,
      Object.freeze({ name, kind: name, baseUrl: bare(baseUrl), apiKey: env.secret(apiKeyEnv), apiKeyEnv, wire: null }),
    );
  }
  for (const [name, provider] of Object.entries(document.sound?.providers ?? {})) {
    const at = (...key: string[]) => document.placeOf('providers', name, ...key);
    const conflict = (key: string, detail: string) => problems.push(problemAt('config.conflict', at(key), { detail }));
    if (providers.has(name)) {
      const detail = `${name} is a built-in name; set ${name.toUpperCase()}_BASE_URL, or choose another name`;
      problems.push(problemAt('config.conflict', at(), { detail }));
    } else if (provider.kind === 'scripted') {
      if (provider.base_url !== undefined) conflict('base_url', 'a scripted provider has no URL');
      if (provider.api_key_env !== undefined) conflict('api_key_env', 'a scripted provider needs no key');
      if (provider.wire !== undefined) conflict('wire', 'a scripted provider has no wire format');
      if (provider.max_retry_after_seconds !== undefined)
        conflict('max_retry_after_seconds', 'a scripted provider is never paused');
      if (provider.script === undefined) conflict('script', 'a scripted provider needs script = "file.toml"');
      else providers.set(name, Object.freeze({ name, kind: 'scripted', script: besideToml(sources, provider.script) }));
    } else {
      if (provider.script !== undefined) conflict('script', 'only a provider of kind "scripted" has a script');
      const apiKeyEnv = provider.api_key_env ?? null;
      const apiKey = apiKeyEnv === null ? null : env.secret(apiKeyEnv);
      const { kind } = provider;
      const baseUrl = provider.base_url ?? vendorUrl(kind);
      const wire = provider.wire ?? null;
      const { max_retry_after_seconds: maxRetryAfterSeconds } = provider;
      const pauses = maxRetryAfterSeconds === undefined ? {} : { maxRetryAfterSeconds };
      if (wire !== null && kind !== 'openai') conflict('wire', ONE_WIRE(kind));
      if (baseUrl === null) conflict('base_url', `a provider of kind "${kind}" needs base_url, its address`);
      else
        providers.set(name, Object.freeze({ name, kind, baseUrl: bare(baseUrl), apiKey, apiKeyEnv, wire, ...pauses }));
    }
  }
  return providers;
}

const ONE_WIRE = (kind: string) => `a provider of kind "${kind}" has one wire format; only kind "openai" has a choice`;

/** The provider of each model must exist, and speak the wire format that the model names. */
export function checkModels(
  document: StrictDocument<ConfigDocument>,
  providers: ReadonlyMap<string, ProviderConfig>,
  problems: Problem[],
): void {
  for (const [name, { wire }] of Object.entries(document.sound?.models ?? {})) {
    const provider = name.slice(0, name.indexOf('/'));
    const kind = providers.get(provider)?.kind;
    if (wire !== undefined && kind !== undefined && kind !== 'openai') {
      problems.push(problemAt('config.conflict', document.placeOf('models', name, 'wire'), { detail: ONE_WIRE(kind) }));
    }
    // A provider with problems of its own counts as known.
    if (providers.has(provider) || document.written('providers', provider) !== undefined) continue;
    const detail = `no provider named ${provider}; the providers are ${[...providers.keys()].join(', ')}`;
    problems.push(problemAt('config.conflict', document.placeOf('models', name), { detail }));
  }
}

/** The models of the file, by `provider/model`. */
export function modelsOf(document: ConfigDocument): ReadonlyMap<string, ModelConfig> {
  const models = Object.entries(document.models).map(([name, model]) => {
    const price = model.usd_per_million;
    const usdPerMillion = Object.freeze({
      input: price?.input,
      output: price?.output,
      cacheRead: price?.cache_read,
      cacheWrite: price?.cache_write,
    });
    const { context_window: contextWindow, max_output: maxOutput, wire } = model;
    const structuredOutputs = model.structured_outputs;
    return [name, Object.freeze({ contextWindow, maxOutput, wire, structuredOutputs, usdPerMillion })] as const;
  });
  return new Map(models);
}

function besideToml(sources: ConfigSources, path: string): string {
  return resolve(sources.toml === null ? sources.cwd : resolve(sources.toml.path, '..'), path);
}

function bare(url: string): string {
  return url.replace(/\/+$/, '');
}
