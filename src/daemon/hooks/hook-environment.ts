/**
 * Selects the part of the daemon's environment that hooks get: the variables on the operator's list. A pattern never matches
 * a secret of animus.
 */

import type { FixedConfig } from '../../core/config/config.ts';
import type { Environment } from '../../core/config/source/environment.ts';
import { listedVariables } from '../guard/listed-variables.ts';

/**
 * The variables named in `hooks.environment`, with their values; unset ones are omitted. `NAME*` matches all names that
 * begin with NAME, except the secrets of animus itself and names that begin with ANIMUS_. A hook gets those only when the
 * list has their full name.
 */
export function hookEnvironment(config: FixedConfig, env: Environment): Readonly<Record<string, string>> {
  return listedVariables(config.hooks.environment, config, env);
}
