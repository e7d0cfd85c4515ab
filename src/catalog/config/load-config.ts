/** Loads the configuration from the environment and the files of this machine. */
import type { Config } from '../../core/config/config.ts';
import { readConfig } from '../../core/config/read-config.ts';
import type { Section } from '../../core/config/source/section.ts';
import { type LoadConfigOptions, readToml, sourcesOf } from './config-files.ts';

/** Loads the configuration; throws an AnimusError `config.*` naming every problem. Reads synchronously: the files are small. `others` as in `readConfig`. */
export function loadConfig(options: LoadConfigOptions, others: readonly Section[] = []): Config {
  return readConfig(sourcesOf(options, readToml(options)), others);
}
