/**
 * The settings a command needs to find its database and its daemon. They are read even if other settings are wrong. Most commands need
 * nothing else, so this file does not load the schema of animus.toml, which takes longer than their query.
 */
import { isAbsolute, resolve } from 'node:path';
import { AnimusError, errorOf } from '../errors/errors.ts';
import { listProblems, type Problem, problemAt, showValue } from '../errors/problem.ts';
import { DEFAULT_HTTP } from '../lifecycle/health.ts';
import type { Secret } from '../secrets/secret.ts';
import { databaseHosts, parseListenAddress } from '../text/addresses.ts';
import type { Config } from './config.ts';
import { BUILT_IN, builtInFromEnvironment } from './providers/provider.ts';
import { type ConfigSources, type EnvironmentReader, environmentReader, LOG_LEVELS } from './source/environment.ts';

export interface Reach extends Pick<Config, 'home' | 'databaseUrl' | 'pgmqSchema'> {
  /** `daemon.http`; the default if animus.toml cannot be parsed, and undefined if its value is invalid. */
  readonly http: Config['daemon']['http'] | undefined;
  /** The error of the configuration, or null. */
  readonly problem: AnimusError | null;
}

/**
 * The reach of a configuration without animus.toml. Throws an AnimusError `config.*` only for a wrong environment, which names the
 * home directory and the database; `problem` is about its other variables.
 */
export function environmentReach(sources: ConfigSources): Reach {
  const env = environmentReader(sources.env, sources.readSecretFile);
  const { home, databaseUrl, pgmqSchema } = placesOf(env, sources);
  env.oneOf('LOG_LEVEL', LOG_LEVELS);
  for (const name of BUILT_IN) builtInFromEnvironment(name, env);
  const address = parseListenAddress(DEFAULT_HTTP);
  const problem = env.problems.length > 0 ? configError(env.problems) : null;
  return { home, databaseUrl, pgmqSchema, http: address && { ...address, configured: false }, problem };
}

/** Where the environment says that home, database and its queues are. Throws an AnimusError `config.*` that names every problem of these. */
export function placesOf(env: EnvironmentReader, sources: ConfigSources): Omit<Reach, 'http' | 'problem'> {
  const problems: Problem[] = [];
  const home = homeOf(env, sources, problems);
  const databaseUrl = databaseUrlOf(env, problems);
  const pgmqSchema = pgmqSchemaOf(env, problems);
  if (env.problems.length + problems.length > 0) throw configError([...env.problems, ...problems]);
  return { home, databaseUrl, pgmqSchema };
}

/** One problem keeps its own code; several become `config.problems`. */
export function configError(problems: readonly Problem[]): AnimusError {
  const [only] = problems;
  if (problems.length === 1 && only !== undefined) return errorOf(only.code, only.details);
  return new AnimusError('config.problems', { count: problems.length, problems: listProblems(problems) });
}

/** ANIMUS_HOME, or `.animus` in the user's home directory; '' with a problem where there is neither. */
export function homeOf(env: EnvironmentReader, sources: ConfigSources, problems: Problem[]): string {
  const home = env.text('ANIMUS_HOME');
  if (home !== null) return resolve(sources.cwd, home);
  if (sources.userHome !== null && isAbsolute(sources.userHome)) return resolve(sources.userHome, '.animus');
  const details = { expected: 'a directory, because this user has no home directory', value: 'nothing', hint: '' };
  problems.push(problemAt('config.invalid', { file: 'environment', line: null, key: 'ANIMUS_HOME' }, details));
  return '';
}

/** DATABASE_URL, or null for the embedded database. */
export function databaseUrlOf(env: EnvironmentReader, problems: Problem[]): Secret | null {
  const url = env.secret('DATABASE_URL');
  const hosts = url && databaseHosts(url.reveal());
  if (hosts === null || 'urls' in hosts) return url;
  const key = env.secretOrigin('DATABASE_URL');
  const details = { expected: hosts.expected, value: '***', hint: '' };
  problems.push(problemAt('config.invalid', { file: 'environment', line: null, key }, details));
  return null;
}

/**
 * The rule for names of the schema that has the queues: they are written into the texts of SQL functions, so nothing that would need quoting, and no placeholder. `public` is for
 * applications, and the others belong to animus and to PostgreSQL.
 */
export const PGMQ_SCHEMA_NAME = /^(?!pg_|(?:animus|public|information_schema)$)[A-Za-z_][A-Za-z0-9_ -]{0,62}$/;

/** The rule as text that completes "expected …". */
export const PGMQ_SCHEMA_NAME_RULE =
  '1 to 63 letters from a to z, digits, spaces, - and _, a letter or _ first; not animus, public, information_schema or pg_…';

/** ANIMUS_PGMQ_SCHEMA, or null. */
export function pgmqSchemaOf(env: EnvironmentReader, problems: Problem[]): string | null {
  const name = env.text('ANIMUS_PGMQ_SCHEMA');
  if (name === null || PGMQ_SCHEMA_NAME.test(name)) return name;
  const details = { expected: `a name of ${PGMQ_SCHEMA_NAME_RULE}`, value: showValue(name), hint: '' };
  problems.push(problemAt('config.invalid', { file: 'environment', line: null, key: 'ANIMUS_PGMQ_SCHEMA' }, details));
  return null;
}
