/** `[providers.NAME]`: the built-in providers of models, and those of the file. */
import type { EnvironmentReader } from '../source/environment.ts';
import {
  reportConflict,
  resolvePath,
  type SecretVariable,
  type Section,
  type SectionPlace,
} from '../source/section.ts';
import {
  BUILT_IN,
  bare,
  builtInFromEnvironment,
  defaultUrl,
  type HttpProviderKind,
  hasWires,
  ONE_WIRE,
  type ProviderConfig,
  type WireChoice,
} from './provider.ts';
import { PLAIN_ACCESS, type ProviderPlace, providerAccess } from './provider-access.ts';
import { type ProviderTable, providerTables } from './provider-keys.ts';

/** By name; `anthropic` and `openai` are always there. */
export const providers = {
  name: 'providers',
  schema: providerTables,
  read: readProviders,
  secrets: (found) => [...found.values()].flatMap(secretsOf),
  variables: (found, { env }) => Object.fromEntries([...found.values()].flatMap((each) => variablesOf(each, env))),
} as const satisfies Section<'providers', typeof providerTables, ReadonlyMap<string, ProviderConfig>>;

/** A provider with a mistake is left out. */
function readProviders(
  tables: Readonly<Record<string, ProviderTable>>,
  place: SectionPlace,
): ReadonlyMap<string, ProviderConfig> {
  const found = new Map<string, ProviderConfig>();
  for (const name of BUILT_IN) found.set(name, builtIn(name, tables[name], placeOf(name, place)));
  for (const [name, table] of Object.entries(tables)) {
    if (found.has(name)) continue;
    const read = table.kind === 'scripted' ? scripted : called;
    const provider = read(name, table, placeOf(name, place));
    if (provider !== null) found.set(name, provider);
  }
  return found;
}

function placeOf(name: string, place: SectionPlace): ProviderPlace {
  return {
    env: place.env,
    resolve: (path) => resolvePath(place, path),
    conflict: (key, detail) => reportConflict(place, ['providers', name, key], detail),
  };
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
function scripted(name: string, table: ProviderTable, { conflict, resolve }: ProviderPlace): ProviderConfig | null {
  const { kind: _, script, ...rest } = table;
  for (const [key, value] of Object.entries(rest)) {
    if (value !== undefined) conflict(key, SCRIPTED_HAS_NO[key] ?? 'a scripted provider calls no server');
  }
  if (script === undefined) conflict('script', 'a scripted provider needs script = "file.toml"');
  return script === undefined ? null : Object.freeze({ name, kind: 'scripted', script: resolve(script) });
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

function secretsOf(provider: ProviderConfig): readonly SecretVariable[] {
  if (provider.kind === 'scripted') return [];
  const keys = provider.apiKeyEnv === null ? [] : [provider.apiKeyEnv];
  const purpose = `calling the provider ${provider.name}`;
  return [...keys, ...provider.secretEnv].map((name) => ({ name, users: ['daemon'], purpose }));
}

/** What a table need not contain, and has all the same. */
function variablesOf(provider: ProviderConfig, env: EnvironmentReader): (readonly [string, string | null])[] {
  const { name } = provider;
  if (provider.kind === 'scripted') return [];
  const isBuiltIn = (BUILT_IN as readonly string[]).includes(name);
  const url = `${name.toUpperCase()}_BASE_URL`;
  return [
    [name, null],
    [`${name}.base_url`, isBuiltIn && env.text(url) !== null ? url : null],
    [`${name}.api_key`, env.secretOrigin(provider.apiKeyEnv ?? '')],
    [`${name}.max_retry_after_seconds`, null],
  ];
}
