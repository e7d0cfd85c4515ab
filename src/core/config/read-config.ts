/** Merges the configuration: environment first, then animus.toml, then defaults. Pure: returns a frozen Config or all problems. */
import { dirname, join, resolve } from 'node:path';
import { type Problem, problemAt } from '../errors/problem.ts';
import { parseListenAddress } from '../text/addresses.ts';
import { readStrictToml, type StrictDocument } from '../toml/strict-toml.ts';
import { readBudget } from './budget.ts';
import { type Config, HOOKS_DIRECTORY, LOG_LEVELS } from './config.ts';
import { checkModels, modelsOf, providersOf } from './config-providers.ts';
import { type ConfigDocument, configSchema } from './config-schema.ts';
import type { ConfigSources } from './config-sources.ts';
import { type EnvironmentReader, environmentReader } from './environment.ts';
import { httpOf } from './http-config.ts';
import { BUILT_IN } from './provider-address.ts';
import { configError, databaseUrlOf, homeOf, pgmqSchemaOf } from './reach.ts';
import { embeddingsOf } from './read-embeddings.ts';
import { endpointProblems, engineOrigin, sandboxOf } from './read-sandbox.ts';
import { webSearchOf } from './read-web-search.ts';
import { webhooksOf } from './webhooks-config.ts';

/** The poll interval of the embedded database, whose notifications do not reach other connections. */
const EMBEDDED_POLL_SECONDS = 0.25;

/** Merges the configuration. Throws an AnimusError `config.*` that names every problem at once. */
export function readConfig(sources: ConfigSources): Config {
  const env = environmentReader(sources.env, sources.readSecretFile);
  const document = readStrictToml(sources.toml?.path ?? 'animus.toml', sources.toml?.text ?? '', configSchema);
  const conflicts: Problem[] = [];
  const home = homeOf(env, sources, conflicts);
  const databaseUrl = databaseUrlOf(env, conflicts);
  const pgmqSchema = pgmqSchemaOf(env, conflicts);
  const logLevel = env.oneOf('LOG_LEVEL', LOG_LEVELS) ?? 'info';
  checkDaemon(document, conflicts);
  const http = httpOf(document, env, conflicts);
  const webhooks = webhooksOf(document, env, conflicts);
  const providers = providersOf(document, env, sources, conflicts);
  checkModels(document, providers, conflicts);
  const search = webSearchOf(document, env, conflicts);
  const embeddings = embeddingsOf(document, providers, conflicts);
  conflicts.push(...endpointProblems(document, env));

  const problems = [...env.problems, ...document.problems, ...conflicts];
  if (problems.length > 0 || document.sound === null || http === null || webhooks === null) throw configError(problems);
  return Object.freeze({
    file: sources.toml?.path ?? null,
    home,
    databaseUrl,
    pgmqSchema,
    logLevel,
    daemon: daemonOf(document, document.sound, databaseUrl === null),
    http,
    retention: retentionOf(document.sound),
    hooks: hooksOf(document.sound, home, sources),
    skills: skillsOf(document.sound, sources),
    batch: batchOf(document.sound),
    web: Object.freeze({ allow: Object.freeze(document.sound.web.allow), search }),
    webhooks,
    embeddings,
    sandbox: sandboxOf(document.sound, env, sources),
    budget: readBudget(document.sound.budget, 'appliance'),
    defaultProvider: 'anthropic',
    providers,
    models: modelsOf(document.sound),
    origins: originsOf(document, env, providers, search),
  });
}

function checkDaemon(document: StrictDocument<ConfigDocument>, problems: Problem[]): void {
  const lease = document.given('daemon', 'lease_seconds') ?? 60;
  const poll = document.given('daemon', 'poll_seconds');
  if (typeof lease !== 'number' || typeof poll !== 'number' || poll < lease) return;
  const details = { expected: `less than lease_seconds (${lease})`, value: String(poll), hint: '' };
  problems.push(problemAt('config.invalid', document.placeOf('daemon', 'poll_seconds'), details));
}

function retentionOf({ retention }: ConfigDocument): Config['retention'] {
  return Object.freeze({
    resolvedDays: retention.resolved_days,
    packDays: retention.pack_days ?? null,
    artifactsDays: retention.artifacts_days,
    worktreeDays: retention.worktree_days,
    heldWorktreeDays: retention.held_worktree_days ?? null,
    directoriesDays: retention.directories_days,
  });
}

function hooksOf({ hooks }: ConfigDocument, home: string, { toml, cwd }: ConfigSources): Config['hooks'] {
  const base = toml === null ? cwd : dirname(toml.path);
  return Object.freeze({
    directory: hooks.directory === undefined ? join(home, HOOKS_DIRECTORY) : resolve(base, hooks.directory),
    environment: Object.freeze(hooks.environment),
  });
}

function skillsOf({ skills }: ConfigDocument, { toml, cwd }: ConfigSources): Config['skills'] {
  const base = toml === null ? cwd : dirname(toml.path);
  return Object.freeze({
    staleDays: skills.stale_days,
    directories: Object.freeze(skills.directories.map((each) => resolve(base, each))),
    propose: skills.propose,
    proposeThreshold: skills.propose_threshold,
    proposeWindowDays: skills.propose_window_days,
    proposeIntervalSeconds: skills.propose_interval_seconds,
  });
}

function batchOf({ batch }: ConfigDocument): Config['batch'] {
  return Object.freeze({
    gatherSeconds: batch.gather_seconds,
    pollSeconds: batch.poll_seconds,
    submitTimeoutSeconds: batch.submit_timeout_seconds,
  });
}

function daemonOf(
  document: StrictDocument<ConfigDocument>,
  { daemon }: ConfigDocument,
  embedded: boolean,
): Config['daemon'] {
  const pollEmbedded = embedded && document.originOf('daemon', 'poll_seconds') === null;
  const http = parseListenAddress(daemon.http);
  return Object.freeze({
    maxConcurrent: daemon.max_concurrent,
    leaseSeconds: daemon.lease_seconds,
    pollSeconds: pollEmbedded ? EMBEDDED_POLL_SECONDS : daemon.poll_seconds,
    shutdownGraceSeconds: daemon.shutdown_grace_seconds,
    focusHostGraceSeconds: daemon.focus_host_grace_seconds,
    focusMaxMemoryMib: daemon.focus_max_memory_mib,
    focusMaxProcesses: daemon.focus_max_processes,
    commitEmail: daemon.commit_email,
    poolSize: daemon.pool_size,
    http: http && Object.freeze({ ...http, configured: document.originOf('daemon', 'http') !== null }),
  });
}

function originsOf(
  document: StrictDocument<ConfigDocument>,
  env: EnvironmentReader,
  providers: Config['providers'],
  search: Config['web']['search'],
): ReadonlyMap<string, string> {
  const origins = new Map<string, string>();
  const set = (name: string) => (env.text(name) === null ? null : name);
  origins.set('home', variable(set('ANIMUS_HOME')));
  origins.set('database_url', variable(env.secretOrigin('DATABASE_URL')));
  origins.set('pgmq_schema', variable(set('ANIMUS_PGMQ_SCHEMA')));
  origins.set('log_level', variable(set('LOG_LEVEL')));
  for (const table of [
    'daemon',
    'http',
    'retention',
    'hooks',
    'skills',
    'batch',
    'web',
    'webhooks',
    'sandbox',
    'budget',
  ] as const) {
    for (const key of Object.keys(document.sound?.[table] ?? {})) {
      origins.set(`${table}.${key}`, document.originOf(table, key) ?? 'default');
    }
  }
  for (const key of Object.keys(document.sound?.http.oidc ?? {})) {
    origins.set(`http.oidc.${key}`, document.originOf('http', 'oidc', key) ?? 'default');
  }
  origins.set('sandbox.endpoint', engineOrigin(document, env));
  if (search !== null) {
    for (const key of ['kind', 'url', 'api_key_env', 'timeout_seconds']) {
      origins.set(`web.search.${key}`, document.originOf('web', 'search', key) ?? 'default');
    }
    origins.set('web.search.api_key', variable(env.secretOrigin(search.apiKeyEnv ?? '')));
  }
  for (const key of Object.keys(document.sound?.embeddings ?? {})) {
    origins.set(`embeddings.${key}`, document.originOf('embeddings', key) ?? 'default');
  }
  for (const provider of providers.values()) {
    const { name } = provider;
    const builtIn = (BUILT_IN as readonly string[]).includes(name);
    const written = document.originOf('providers', name, 'base_url') ?? 'default';
    origins.set(`providers.${name}`, document.originOf('providers', name) ?? 'default');
    if (provider.kind === 'scripted') continue;
    const baseUrl = builtIn ? variable(set(`${name.toUpperCase()}_BASE_URL`)) : written;
    origins.set(`providers.${name}.base_url`, baseUrl);
    const pause = document.originOf('providers', name, 'max_retry_after_seconds') ?? 'default';
    origins.set(`providers.${name}.max_retry_after_seconds`, pause);
    origins.set(`providers.${name}.api_key`, variable(env.secretOrigin(provider.apiKeyEnv ?? '')));
    for (const key of Object.keys(document.sound?.providers[name] ?? {})) {
      const origin = document.originOf('providers', name, key);
      if (origin !== null && key !== 'base_url') origins.set(`providers.${name}.${key}`, origin);
    }
  }
  for (const [name, model] of Object.entries(document.sound?.models ?? {})) {
    origins.set(`models."${name}"`, document.originOf('models', name) ?? 'default');
    for (const key of Object.keys(model)) {
      const origin = document.originOf('models', name, key);
      if (origin !== null) origins.set(`models."${name}".${key}`, origin);
    }
  }
  return origins;
}

function variable(name: string | null): string {
  return name === null ? 'default' : `environment ${name}`;
}
