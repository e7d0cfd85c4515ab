/** The settings a command needs to find its database and its daemon. They are read even if other settings are wrong. */
import { AnimusError, isAnimusError } from '../errors/errors.ts';
import type { Problem } from '../errors/problem.ts';
import { parseListenAddress } from '../toml/fields.ts';
import { readStrictToml } from '../toml/strict-toml.ts';
import type { Config } from './config.ts';
import { configSchema, DEFAULT_HTTP } from './config-schema.ts';
import type { ConfigSources } from './config-sources.ts';
import { environmentReader } from './environment.ts';
import { configError, databaseUrlOf, homeOf, readConfig } from './read-config.ts';

export interface Reach extends Pick<Config, 'home' | 'databaseUrl'> {
  /** `daemon.http`; the default if animus.toml cannot be parsed, and undefined if its value is invalid. */
  readonly http: Config['daemon']['http'] | undefined;
  /** The error of the configuration, or null. */
  readonly problem: AnimusError | null;
}

/** Throws an AnimusError `config.*` only for a wrong environment, which names the home directory and the database. */
export function readReach(sources: ConfigSources): Reach {
  try {
    const { home, databaseUrl, daemon } = readConfig(sources);
    return { home, databaseUrl, http: daemon.http, problem: null };
  } catch (error) {
    if (!isAnimusError(error)) throw error;
    return partOf(sources, error);
  }
}

function partOf(sources: ConfigSources, problem: AnimusError): Reach {
  const env = environmentReader(sources.env, sources.readSecretFile);
  const problems: Problem[] = [];
  const home = homeOf(env, sources, problems);
  const databaseUrl = databaseUrlOf(env, problems);
  if (env.problems.length + problems.length > 0) throw configError([...env.problems, ...problems]);
  return { home, databaseUrl, http: httpOf(sources), problem };
}

function httpOf({ toml }: ConfigSources): Reach['http'] {
  const document = readStrictToml(toml?.path ?? 'animus.toml', toml?.text ?? '', configSchema);
  const written = document.written('daemon', 'http');
  const given = document.given('daemon', 'http');
  if (written !== undefined && given === undefined) return undefined;
  const address = parseListenAddress(typeof given === 'string' ? given : DEFAULT_HTTP);
  return address && { ...address, configured: given !== undefined };
}
