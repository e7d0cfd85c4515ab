/** Configuration: environment first, then animus.toml, then defaults. Pure: texts in, a frozen Config or all problems out. */
import { isAbsolute, resolve } from 'node:path';
import { type ConfigDocument, configSchema } from './config-schema.ts';
import { type Environment, type EnvironmentReader, environmentReader, type SecretFile } from './environment.ts';
import { AnimusError } from './errors.ts';
import { listProblems, type Problem, problemAt } from './problem.ts';
import type { Secret } from './secret.ts';
import { readStrictToml, type StrictDocument } from './strict-toml.ts';

/** The effective settings of this process. */
export interface Config {
  /** The animus.toml that was read, absolute; null when there is none. */
  readonly file: string | null;
  /** ANIMUS_HOME, absolute: the embedded database, focus directories. */
  readonly home: string;
  /** Null: the embedded database. */
  readonly databaseUrl: Secret | null;
  readonly logLevel: LogLevel;
  readonly daemon: DaemonConfig;
  /** Used for models named without a provider. */
  readonly defaultProvider: string;
  /** By name; `anthropic` is always there. */
  readonly providers: ReadonlyMap<string, ProviderConfig>;
  /** By `provider/model`: what adds to or overrides the built-in catalogue. */
  readonly models: ReadonlyMap<string, ModelConfig>;
  /** Where each effective value came from, by dotted key: `default`, `file:line` or `environment NAME`. */
  readonly origins: ReadonlyMap<string, string>;
}

/** `[daemon]` of animus.toml. */
export interface DaemonConfig {
  /** Foci at once in this daemon; default 4. */
  readonly maxConcurrent: number;
  /** How long a claim holds without a heartbeat; default 60, at least 5. */
  readonly leaseSeconds: number;
  /** How often the daemon looks by itself; default 5, embedded 0.25; less than the lease. */
  readonly pollSeconds: number;
  /** How long foci may run on after the first SIGTERM; default 30. */
  readonly shutdownGraceSeconds: number;
  /** Connections to Postgres; default 10. */
  readonly poolSize: number;
}

/** A provider of models. `scripted` plays a TOML script and is no model. */
export type ProviderConfig =
  | {
      readonly name: string;
      readonly kind: 'anthropic';
      /** Without a trailing slash. */
      readonly baseUrl: string;
      /** Null: none is set; calls go out without one. */
      readonly apiKey: Secret | null;
      /** The environment variable the key is looked for in, for messages; null where none is named. */
      readonly apiKeyEnv: string | null;
    }
  | { readonly name: string; readonly kind: 'scripted' /** Absolute. */; readonly script: string };

/** What animus.toml says about a model; undefined where it says nothing. */
export interface ModelConfig {
  readonly contextWindow: number | undefined;
  readonly maxOutput: number | undefined;
  readonly usdPerMillion: {
    readonly input: number | undefined;
    readonly output: number | undefined;
    readonly cacheRead: number | undefined;
    readonly cacheWrite: number | undefined;
  };
}

/** What LOG_LEVEL may say; default `info`. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** All that a configuration is made of. */
export interface ConfigSources {
  readonly env: Environment;
  /** animus.toml; null when there is none. `path` is absolute. */
  readonly toml: { readonly path: string; readonly text: string } | null;
  /** The user's home directory; null when the system knows none. */
  readonly userHome: string | null;
  /** Relative paths in the environment start here. Absolute. */
  readonly cwd: string;
  readonly readSecretFile: (path: string) => SecretFile;
}

/** Poll of the embedded database: its notifications do not reach other connections. */
const EMBEDDED_POLL_SECONDS = 0.25;

const BASE_URLS = { anthropic: 'https://api.anthropic.com' } as const;
const BUILT_IN = ['anthropic'] as const;
/** Names that later providers of animus's own will have. */
const RESERVED = ['openai'];

/** Puts the configuration together. Throws an AnimusError `config.*` that names every problem at once. */
export function readConfig(sources: ConfigSources): Config {
  const env = environmentReader(sources.env, sources.readSecretFile);
  const document = readStrictToml(sources.toml?.path ?? 'animus.toml', sources.toml?.text ?? '', configSchema);
  const conflicts: Problem[] = [];
  const home = homeOf(env, sources, conflicts);
  const databaseUrl = databaseUrlOf(env, conflicts);
  const logLevel = env.oneOf('LOG_LEVEL', LOG_LEVELS) ?? 'info';
  checkDaemon(document, conflicts);
  const providers = providersOf(document, env, sources, conflicts);
  checkModels(document, providers, conflicts);

  const problems = [...env.problems, ...document.problems, ...conflicts];
  if (problems.length > 0 || document.sound === null) throw configError(problems);
  return Object.freeze({
    file: sources.toml?.path ?? null,
    home,
    databaseUrl,
    logLevel,
    daemon: daemonOf(document.sound, databaseUrl === null && document.originOf('daemon', 'poll_seconds') === null),
    defaultProvider: 'anthropic',
    providers,
    models: modelsOf(document.sound),
    origins: originsOf(document, env, providers),
  });
}

/** One problem keeps its own code; several become `config.problems`. */
export function configError(problems: readonly Problem[]): AnimusError {
  const [only] = problems;
  if (problems.length === 1 && only !== undefined) return new AnimusError(only.code, only.details);
  return new AnimusError('config.problems', { count: problems.length, problems: listProblems(problems) });
}

function homeOf(env: EnvironmentReader, sources: ConfigSources, problems: Problem[]): string {
  const home = env.text('ANIMUS_HOME');
  if (home !== null) return resolve(sources.cwd, home);
  if (sources.userHome !== null && isAbsolute(sources.userHome)) return resolve(sources.userHome, '.animus');
  const details = { expected: 'a directory, as this user has no home directory', value: 'nothing', hint: '' };
  problems.push(problemAt('config.invalid', { file: 'environment', line: null, key: 'ANIMUS_HOME' }, details));
  return '';
}

function databaseUrlOf(env: EnvironmentReader, problems: Problem[]): Secret | null {
  const url = env.secret('DATABASE_URL');
  if (url === null || isPostgresUrl(url.reveal())) return url;
  const key = env.secretOrigin('DATABASE_URL');
  const details = { expected: 'postgres://user:password@host:port/database', value: '***', hint: '' };
  problems.push(problemAt('config.invalid', { file: 'environment', line: null, key }, details));
  return null;
}

function isPostgresUrl(value: string): boolean {
  // Sockets in a directory are written postgres://%2Fvar%2Frun/db or postgres:///db, which URL.parse takes too.
  return /^postgres(ql)?:$/.test(URL.parse(value)?.protocol ?? '');
}

function checkDaemon(document: StrictDocument<ConfigDocument>, problems: Problem[]): void {
  const lease = document.given('daemon', 'lease_seconds') ?? 60;
  const poll = document.given('daemon', 'poll_seconds');
  if (typeof lease !== 'number' || typeof poll !== 'number' || poll < lease) return;
  const details = { expected: `less than lease_seconds (${lease})`, value: String(poll), hint: '' };
  problems.push(problemAt('config.invalid', document.placeOf('daemon', 'poll_seconds'), details));
}

function daemonOf({ daemon }: ConfigDocument, pollEmbedded: boolean): DaemonConfig {
  return Object.freeze({
    maxConcurrent: daemon.max_concurrent,
    leaseSeconds: daemon.lease_seconds,
    pollSeconds: pollEmbedded ? EMBEDDED_POLL_SECONDS : daemon.poll_seconds,
    shutdownGraceSeconds: daemon.shutdown_grace_seconds,
    poolSize: daemon.pool_size,
  });
}

function providersOf(
  document: StrictDocument<ConfigDocument>,
  env: EnvironmentReader,
  sources: ConfigSources,
  problems: Problem[],
): ReadonlyMap<string, ProviderConfig> {
  const providers = new Map<string, ProviderConfig>();
  for (const name of BUILT_IN) {
    const apiKeyEnv = `${name.toUpperCase()}_API_KEY`;
    const baseUrl = env.url(`${name.toUpperCase()}_BASE_URL`) ?? BASE_URLS[name];
    providers.set(
      name,
      Object.freeze({ name, kind: name, baseUrl: bare(baseUrl), apiKey: env.secret(apiKeyEnv), apiKeyEnv }),
    );
  }
  for (const [name, provider] of Object.entries(document.sound?.providers ?? {})) {
    const at = (...key: string[]) => document.placeOf('providers', name, ...key);
    const conflict = (key: string, detail: string) => problems.push(problemAt('config.conflict', at(key), { detail }));
    if (providers.has(name) || RESERVED.includes(name)) {
      const detail = `${name} is a built-in name; set ${name.toUpperCase()}_BASE_URL, or choose another name`;
      problems.push(problemAt('config.conflict', at(), { detail }));
    } else if (provider.kind === 'scripted') {
      if (provider.base_url !== undefined) conflict('base_url', 'a scripted provider has no URL');
      if (provider.api_key_env !== undefined) conflict('api_key_env', 'a scripted provider needs no key');
      if (provider.script === undefined) conflict('script', 'a scripted provider needs script = "file.toml"');
      else providers.set(name, Object.freeze({ name, kind: 'scripted', script: besideToml(sources, provider.script) }));
    } else {
      if (provider.script !== undefined) conflict('script', 'only a provider of kind "scripted" has a script');
      const apiKeyEnv = provider.api_key_env ?? null;
      const apiKey = apiKeyEnv === null ? null : env.secret(apiKeyEnv);
      const baseUrl = bare(provider.base_url ?? BASE_URLS[provider.kind]);
      providers.set(name, Object.freeze({ name, kind: provider.kind, baseUrl, apiKey, apiKeyEnv }));
    }
  }
  return providers;
}

function checkModels(
  document: StrictDocument<ConfigDocument>,
  providers: ReadonlyMap<string, ProviderConfig>,
  problems: Problem[],
): void {
  for (const name of Object.keys(document.sound?.models ?? {})) {
    const provider = name.slice(0, name.indexOf('/'));
    // A provider that has problems of its own is known all the same.
    if (providers.has(provider) || document.written('providers', provider) !== undefined) continue;
    const detail = `no provider named ${provider}; known are ${[...providers.keys()].join(', ')}`;
    problems.push(problemAt('config.conflict', document.placeOf('models', name), { detail }));
  }
}

function modelsOf(document: ConfigDocument): ReadonlyMap<string, ModelConfig> {
  const models = Object.entries(document.models).map(([name, model]) => {
    const price = model.usd_per_million;
    const usdPerMillion = Object.freeze({
      input: price?.input,
      output: price?.output,
      cacheRead: price?.cache_read,
      cacheWrite: price?.cache_write,
    });
    const { context_window: contextWindow, max_output: maxOutput } = model;
    return [name, Object.freeze({ contextWindow, maxOutput, usdPerMillion })] as const;
  });
  return new Map(models);
}

function originsOf(
  document: StrictDocument<ConfigDocument>,
  env: EnvironmentReader,
  providers: ReadonlyMap<string, ProviderConfig>,
): ReadonlyMap<string, string> {
  const origins = new Map<string, string>();
  const set = (name: string) => (env.text(name) === null ? null : name);
  origins.set('home', variable(set('ANIMUS_HOME')));
  origins.set('database_url', variable(env.secretOrigin('DATABASE_URL')));
  origins.set('log_level', variable(set('LOG_LEVEL')));
  for (const key of Object.keys(document.sound?.daemon ?? {})) {
    origins.set(`daemon.${key}`, document.originOf('daemon', key) ?? 'default');
  }
  for (const provider of providers.values()) {
    const { name } = provider;
    const builtIn = (BUILT_IN as readonly string[]).includes(name);
    const written = document.originOf('providers', name, 'base_url') ?? 'default';
    origins.set(`providers.${name}`, document.originOf('providers', name) ?? 'default');
    if (provider.kind === 'scripted') continue;
    const baseUrl = builtIn ? variable(set(`${name.toUpperCase()}_BASE_URL`)) : written;
    origins.set(`providers.${name}.base_url`, baseUrl);
    origins.set(`providers.${name}.api_key`, variable(env.secretOrigin(provider.apiKeyEnv ?? '')));
  }
  for (const name of Object.keys(document.sound?.models ?? {})) {
    origins.set(`models."${name}"`, document.originOf('models', name) ?? 'default');
  }
  return origins;
}

function variable(name: string | null): string {
  return name === null ? 'default' : `environment ${name}`;
}

function besideToml(sources: ConfigSources, path: string): string {
  return resolve(sources.toml === null ? sources.cwd : resolve(sources.toml.path, '..'), path);
}

function bare(url: string): string {
  return url.replace(/\/+$/, '');
}
