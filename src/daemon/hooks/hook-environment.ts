/** Which of the daemon's environment hooks get: what the operator's list names, and never a secret of animus by a pattern. */
import type { Config } from '../../core/config/config.ts';
import type { Environment } from '../../core/config/environment.ts';
import { secretNames } from '../guard/secret-files.ts';

/**
 * The variables that `hooks.environment` names, with their values; those that are not set are left out. `NAME*` stands for
 * all that begin with NAME, but not for the secrets of animus itself nor for what begins with ANIMUS_: these a hook gets
 * only where their own name is in the list.
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
