/** Finds the database and the daemon by the environment and the files of this machine. */

import { environmentReach, type Reach } from '../../core/config/reach.ts';
import type { ConfigSources } from '../../core/config/source/environment.ts';
import type { Section } from '../../core/config/source/section.ts';
import { isAnimusError } from '../../core/errors/errors.ts';
import { type LoadConfigOptions, readToml, sourcesOf } from './config-files.ts';

export type LoadSections = () => Promise<readonly Section[]>;

/**
 * What a command needs to find its database and its daemon. If animus.toml is broken, the result includes the problem. Throws as
 * `loadConfig` does for a wrong environment, and for a file that was named and cannot be read. `loadSections`: those that parts of animus declare, which only a file needs.
 */
export async function loadReach(options: LoadConfigOptions, loadSections: LoadSections): Promise<Reach> {
  let toml: ConfigSources['toml'];
  try {
    toml = readToml(options);
  } catch (error) {
    if (options.configFile !== undefined || !isAnimusError(error)) throw error;
    return { ...environmentReach(sourcesOf(options, null)), problem: error };
  }
  if (toml === null) return environmentReach(sourcesOf(options, null));
  const [{ fileReach }, others] = await Promise.all([import('../../core/config/read-config.ts'), loadSections()]);
  return fileReach(sourcesOf(options, toml), others);
}
