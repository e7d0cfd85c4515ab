/** Reads how a provider is reached and logged in to from its table and the variables that it names. */
import { Secret } from '../../secrets/secret.ts';
import { isSecretKey } from '../../secrets/secrets.ts';
import { settingsOf } from '../../toml/keys.ts';
import type { EnvironmentReader } from '../source/environment.ts';
import type { AwsKeys, HttpProviderKind, ProviderAccess } from './provider.ts';
import { credentials as credentialsTable, type ProviderTable, timeouts } from './provider-keys.ts';

/** The place of a table, and the function that collects its problems. */
export interface ProviderPlace {
  readonly env: EnvironmentReader;
  /** A path in the file, absolute. */
  readonly resolve: (path: string) => string;
  readonly conflict: (key: string, detail: string) => void;
}

/** The access of a provider of this kind. Keys that do not fit it are reported. */
export function providerAccess(table: ProviderTable, kind: HttpProviderKind, place: ProviderPlace): ProviderAccess {
  const { env, resolve, conflict } = place;
  checkKeys(table, kind, conflict);
  const usesAwsKeys = kind === 'bedrock' && table.credentials === undefined && table.api_key_env === undefined;
  const region =
    table.region ?? (kind === 'bedrock' ? (env.text('AWS_REGION') ?? env.text('AWS_DEFAULT_REGION')) : null);
  if (kind === 'bedrock' && region === null)
    conflict('region', 'a provider of kind "bedrock" needs region, or AWS_REGION');
  return {
    keyHeader: table.key_header?.toLowerCase() ?? null,
    credentials: credentialsOf(table, place),
    awsKeys: usesAwsKeys ? awsKeys(env) : null,
    cloud: Object.freeze({
      region,
      project: table.project ?? null,
      location: table.location ?? null,
      apiVersion: table.api_version ?? null,
    }),
    headers: Object.freeze(lowerCased(table.headers ?? {})),
    secretHeaders: Object.freeze(lowerCased(mapValues(table.header_env ?? {}, (variable) => env.secret(variable)))),
    options: Object.freeze(table.options ?? {}),
    stream: table.stream ?? true,
    timeouts: settingsOf(timeouts, table.timeouts ?? {}),
    maxRetryAfterSeconds: table.max_retry_after_seconds ?? null,
    proxy: proxyOf(table, env, conflict),
    proxyEnv: table.proxy_env ?? null,
    caFile: table.ca_file === undefined ? null : resolve(table.ca_file),
    secretEnv: Object.freeze([
      ...Object.values(table.header_env ?? {}),
      ...(table.proxy_env === undefined ? [] : [table.proxy_env]),
      ...(usesAwsKeys ? AWS_VARIABLES : []),
    ]),
  };
}

/** A provider that the file does not describe. */
export const PLAIN_ACCESS: ProviderAccess = Object.freeze({
  keyHeader: null,
  credentials: null,
  awsKeys: null,
  cloud: Object.freeze({ region: null, project: null, location: null, apiVersion: null }),
  headers: Object.freeze({}),
  secretHeaders: Object.freeze({}),
  options: Object.freeze({}),
  stream: true,
  timeouts: settingsOf(timeouts, {}),
  maxRetryAfterSeconds: null,
  proxy: null,
  proxyEnv: null,
  caFile: null,
  secretEnv: Object.freeze([]),
});

/** Keys that only one kind has. */
const OF_KIND = { region: 'bedrock', project: 'vertex', location: 'vertex', api_version: 'azure' } as const;

/** Headers of the connection or of the client itself. */
const RESERVED_HEADER =
  /^(host|content-length|content-type|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|accept-encoding|proxy-.*)$/i;

/** Fields of a request that animus sets, in any wire format. */
const RESERVED_OPTION =
  /^(model|messages|input|instructions|system|tools|stream|store|n|max_tokens|max_completion_tokens|max_output_tokens|anthropic_version)$/;

/** Reports headers that would carry a secret in the file, and fields that animus sets itself. Also for `[models."…"]`. */
export function checkAdditions(
  { headers = {}, options = {} }: { readonly headers?: object | undefined; readonly options?: object | undefined },
  conflict: ProviderPlace['conflict'],
): void {
  for (const name of Object.keys(headers)) {
    if (RESERVED_HEADER.test(name)) conflict('headers', `${name} is set by animus itself`);
    else if (isSecretKey(name) || /(^|-)(key|token|auth)$/i.test(name))
      conflict('headers', `${name} looks like a secret: put its value into a variable, and name that in header_env`);
  }
  for (const name of Object.keys(options)) {
    if (RESERVED_OPTION.test(name)) conflict('options', `${name} is set by animus itself`);
  }
}

function checkKeys(table: ProviderTable, kind: HttpProviderKind, conflict: ProviderPlace['conflict']): void {
  if (table.script !== undefined) conflict('script', 'only a provider of kind "scripted" has a script');
  for (const [key, only] of Object.entries(OF_KIND)) {
    if (kind !== only && table[key as keyof typeof OF_KIND] !== undefined)
      conflict(key, `only a provider of kind "${only}" has this key`);
  }
  for (const key of ['project', 'location'] as const) {
    if (kind === 'vertex' && table[key] === undefined) conflict(key, `a provider of kind "vertex" needs ${key}`);
  }
  if (kind === 'bedrock' && table.key_header !== undefined)
    conflict('key_header', 'Bedrock takes a key in the header authorization, and no other');
  for (const name of Object.keys(table.header_env ?? {})) {
    if (RESERVED_HEADER.test(name)) conflict('header_env', `${name} is set by animus itself`);
  }
  checkAdditions(table, conflict);
}

function credentialsOf(
  { credentials, api_key_env }: ProviderTable,
  { resolve, conflict }: ProviderPlace,
): ProviderAccess['credentials'] {
  if (credentials === undefined) return null;
  if (api_key_env !== undefined)
    conflict('credentials', 'api_key_env and credentials are both set; remove one of them');
  if (!credentials.command[0]?.trim()) conflict('credentials', 'its command needs a program as its first entry');
  return Object.freeze({ ...settingsOf(credentialsTable, credentials), directory: resolve('.') });
}

const AWS_VARIABLES = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'] as const;

/** Null unless both keys are set. */
function awsKeys(env: EnvironmentReader): AwsKeys | null {
  const [accessKeyId, secretAccessKey, sessionToken] = AWS_VARIABLES.map((name) => env.secret(name));
  if (!accessKeyId || !secretAccessKey) return null;
  return Object.freeze({ accessKeyId, secretAccessKey, sessionToken: sessionToken ?? null });
}

function proxyOf(
  { proxy, proxy_env }: ProviderTable,
  env: EnvironmentReader,
  conflict: ProviderPlace['conflict'],
): Secret | null {
  if (proxy !== undefined && proxy_env !== undefined)
    conflict('proxy', 'proxy and proxy_env are both set; remove one of them');
  if (proxy !== undefined) return new Secret(proxy);
  const named = proxy_env === undefined ? null : env.secret(proxy_env);
  if (named !== null && !/^https?:$/.test(URL.parse(named.reveal())?.protocol ?? ''))
    conflict('proxy_env', `${proxy_env} must contain an http:// or https:// URL`);
  return named;
}

/** With lower-case names. */
export function lowerCased<Value>(values: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name.toLowerCase(), value]));
}

function mapValues<From, To>(values: Readonly<Record<string, From>>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}
