/** `[providers.*]` and `[models.*]` of animus.toml. */
import { resolve } from 'node:path';
import { type Problem, problemAt } from '../errors/problem.ts';
import type { StrictDocument } from '../toml/strict-toml.ts';
import type { HttpProviderKind, ModelConfig, ProviderConfig, WireChoice } from './config.ts';
import type { ConfigDocument } from './config-schema.ts';
import type { ConfigSources } from './config-sources.ts';
import type { EnvironmentReader } from './environment.ts';
import { BUILT_IN, bare, builtInFromEnvironment, defaultUrl } from './provider-address.ts';
import type { ProviderTable } from './provider-keys.ts';
import { modelAbilities } from './read-model-abilities.ts';
import { checkAdditions, PLAIN_ACCESS, type ProviderPlace, providerAccess } from './read-provider-access.ts';

/** The built-in providers and those of the file. A provider with a mistake is left out and added to `problems`. */
export function providersOf(
  document: StrictDocument<ConfigDocument>,
  env: EnvironmentReader,
  sources: ConfigSources,
  problems: Problem[],
): ReadonlyMap<string, ProviderConfig> {
  const directory = sources.toml === null ? sources.cwd : resolve(sources.toml.path, '..');
  const tables = document.sound?.providers ?? {};
  const placeOf = (name: string): ProviderPlace => ({
    env,
    directory,
    conflict: (key, detail) =>
      problems.push(problemAt('config.conflict', document.placeOf('providers', name, key), { detail })),
  });
  const providers = new Map<string, ProviderConfig>();
  for (const name of BUILT_IN) providers.set(name, builtIn(name, tables[name], placeOf(name)));
  for (const [name, table] of Object.entries(tables)) {
    if (providers.has(name)) continue;
    const provider =
      table.kind === 'scripted' ? scripted(name, table, placeOf(name)) : called(name, table, placeOf(name));
    if (provider !== null) providers.set(name, provider);
  }
  return providers;
}

/** Its address and key come from the environment, everything else may be in the file. */
function builtIn(
  name: (typeof BUILT_IN)[number],
  table: ProviderTable | undefined,
  place: ProviderPlace,
): ProviderConfig {
  const own = builtInFromEnvironment(name, place.env);
  if (table === undefined) return Object.freeze({ ...PLAIN_ACCESS, ...own, name, kind: name, wire: null });
  const elsewhere = `is a built-in name; set ${name.toUpperCase()}_BASE_URL, or choose another name`;
  if (table.kind !== name) place.conflict('kind', `${name} ${elsewhere}`);
  if (table.base_url !== undefined) place.conflict('base_url', `${name} ${elsewhere}`);
  if (table.api_key_env !== undefined) place.conflict('api_key_env', `the key of ${name} is in ${own.apiKeyEnv}`);
  const wire = wireOf(table, name, place);
  return Object.freeze({ ...providerAccess(table, name, place), ...own, name, kind: name, wire });
}

/** A provider that plays a script. It has no other settings. */
function scripted(name: string, table: ProviderTable, { conflict, directory }: ProviderPlace): ProviderConfig | null {
  const { kind: _, script, ...rest } = table;
  for (const [key, value] of Object.entries(rest)) {
    if (value !== undefined) conflict(key, SCRIPTED_HAS_NO[key] ?? 'a scripted provider calls no server');
  }
  if (script === undefined) conflict('script', 'a scripted provider needs script = "file.toml"');
  return script === undefined ? null : Object.freeze({ name, kind: 'scripted', script: resolve(directory, script) });
}

const SCRIPTED_HAS_NO: Readonly<Record<string, string>> = {
  base_url: 'a scripted provider has no URL',
  api_key_env: 'a scripted provider needs no key',
  wire: 'a scripted provider has no wire format',
  max_retry_after_seconds: 'a scripted provider is never paused',
};

/** A provider that is called over HTTP. */
function called(name: string, table: ProviderTable, place: ProviderPlace): ProviderConfig | null {
  const kind = table.kind as HttpProviderKind;
  const apiKeyEnv = table.api_key_env ?? null;
  const apiKey = apiKeyEnv === null ? null : place.env.secret(apiKeyEnv);
  const access = providerAccess(table, kind, place);
  const wire = wireOf(table, kind, place);
  const baseUrl = table.base_url ?? defaultUrl(kind, access);
  if (baseUrl === null) place.conflict('base_url', `a provider of kind "${kind}" needs base_url, its address`);
  if (baseUrl === null) return null;
  return Object.freeze({ ...access, name, kind, baseUrl: bare(baseUrl), apiKey, apiKeyEnv, wire });
}

function wireOf(table: ProviderTable, kind: HttpProviderKind, { conflict }: ProviderPlace): WireChoice | null {
  if (table.wire !== undefined && !hasWires(kind)) conflict('wire', ONE_WIRE(kind));
  return table.wire ?? null;
}

/** Azure serves OpenAI's models through OpenAI's API. */
function hasWires(kind: ProviderConfig['kind']): boolean {
  return kind === 'openai' || kind === 'azure';
}

const ONE_WIRE = (kind: string) =>
  `a provider of kind "${kind}" has no choice of wire formats; only "openai" and "azure" have`;

/** The provider of each model must exist, and speak the wire format that the model names. */
export function checkModels(
  document: StrictDocument<ConfigDocument>,
  providers: ReadonlyMap<string, ProviderConfig>,
  problems: Problem[],
): void {
  for (const [name, model] of Object.entries(document.sound?.models ?? {})) {
    const { wire } = model;
    const provider = name.slice(0, name.indexOf('/'));
    const kind = providers.get(provider)?.kind;
    if (wire !== undefined && kind !== undefined && !hasWires(kind)) {
      problems.push(problemAt('config.conflict', document.placeOf('models', name, 'wire'), { detail: ONE_WIRE(kind) }));
    }
    const at = (key: string) => document.placeOf('models', name, key);
    checkAdditions(model, (key, detail) => problems.push(problemAt('config.conflict', at(key), { detail })));
    if (/\*./.test(name))
      problems.push(
        problemAt('config.conflict', document.placeOf('models', name), {
          detail: '* stands only at the end, for all names with this start',
        }),
      );
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
    const abilities = modelAbilities(model);
    return [
      name,
      Object.freeze({ contextWindow, maxOutput, wire, structuredOutputs, abilities, usdPerMillion }),
    ] as const;
  });
  return new Map(models);
}
