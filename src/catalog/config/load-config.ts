/** Loads the configuration from the environment and the files of this machine. */
import type { Config } from '../../core/config/config.ts';
import { readConfig } from '../../core/config/read-config.ts';
import { type LoadConfigOptions, readToml, sourcesOf } from './config-files.ts';

/** Loads the configuration; throws an AnimusError `config.*` naming every problem. Reads synchronously: the files are small. */
export function loadConfig(options: LoadConfigOptions): Config {
  return readConfig(sourcesOf(options, readToml(options)));
}
