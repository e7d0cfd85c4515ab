/** The same as `environmentReach`, where there is an animus.toml. */
import { isAnimusError } from '../errors/errors.ts';
import { parseListenAddress } from '../text/addresses.ts';
import { readStrictToml } from '../toml/strict-toml.ts';
import { DEFAULT_HTTP } from './config.ts';
import { configSchema } from './config-schema.ts';
import type { ConfigSources } from './config-sources.ts';
import { environmentReader } from './environment.ts';
import { placesOf, type Reach } from './reach.ts';
import { readConfig } from './read-config.ts';

/** Throws an AnimusError `config.*` only for a wrong environment, which names the home directory and the database. */
export function fileReach(sources: ConfigSources): Reach {
  try {
    const { home, databaseUrl, pgmqSchema, daemon } = readConfig(sources);
    return { home, databaseUrl, pgmqSchema, http: daemon.http, problem: null };
  } catch (error) {
    if (!isAnimusError(error)) throw error;
    const env = environmentReader(sources.env, sources.readSecretFile);
    return { ...placesOf(env, sources), http: httpOf(sources), problem: error };
  }
}

function httpOf({ toml }: ConfigSources): Reach['http'] {
  const document = readStrictToml(toml?.path ?? 'animus.toml', toml?.text ?? '', configSchema);
  const written = document.written('daemon', 'http');
  const given = document.given('daemon', 'http');
  if (written !== undefined && given === undefined) return undefined;
  const address = parseListenAddress(typeof given === 'string' ? given : DEFAULT_HTTP);
  return address && { ...address, configured: given !== undefined };
}
