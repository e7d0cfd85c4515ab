/**
 * Selects the part of the daemon's environment that hooks get: the variables on the operator's list. A pattern never matches
 * a secret of animus.
 */
import type { Config } from '../../core/config/config.ts';
import type { Environment } from '../../core/config/environment.ts';
import { secretNames } from '../guard/secret-files.ts';

/**
 * The variables named in `hooks.environment`, with their values; unset ones are omitted. `NAME*` matches all names that
 * begin with NAME, except the secrets of animus itself and names that begin with ANIMUS_. A hook gets those only when the
 * list has their full name.
 */
export function hookEnvironment(config: Config, env: Environment): Readonly<Record<string, string>> {
  const secrets = new Set(secretNames(config).flatMap((name) => [name, `${name}_FILE`]));
  const isOwn = (name: string) => secrets.has(name) || name.startsWith('ANIMUS_');
  const passed = (name: string) =>
    config.hooks.environment.some((listed) =>
      listed.endsWith('*') ? name.startsWith(listed.slice(0, -1)) && !isOwn(name) : name === listed,
    );
  const values = Object.entries(env).filter(([name, value]) => value !== undefined && passed(name));
  return Object.fromEntries(values) as Record<string, string>;
}
