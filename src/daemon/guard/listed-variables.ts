import type { FixedConfig } from '../../core/config/config.ts';
import type { Environment } from '../../core/config/source/environment.ts';
import { fitsName, ownSecrets } from './secret-files.ts';

/**
 * The variables that a list of the configuration names, with their values; unset ones are omitted. `NAME*` matches all names
 * that begin with NAME, except the secrets of animus itself and names that begin with ANIMUS_. Those need their full name.
 */
export function listedVariables(
  list: readonly string[],
  config: FixedConfig,
  env: Environment,
): Readonly<Record<string, string>> {
  const isOwn = ownSecrets(config);
  const passed = (name: string) => list.some((listed) => listed === name || (fitsName(listed, name) && !isOwn(name)));
  const values = Object.entries(env).filter(([name, value]) => value !== undefined && passed(name));
  return Object.fromEntries(values) as Record<string, string>;
}
