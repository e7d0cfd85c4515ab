/** Which of the daemon's environment hooks get: what the operator's list names, and never a secret of animus by a pattern. */
import { resolve } from 'node:path';
import type { Config } from '../core/config.ts';
import type { Environment } from '../core/environment.ts';

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

/** The files that hold secrets of animus, absolute: commands must not be able to open them. */
export function secretFiles(config: Config, env: Environment): readonly string[] {
  return secretNames(config).flatMap((name) => {
    const file = env[`${name}_FILE`];
    return file ? [resolve(file)] : [];
  });
}

/** The variables that animus takes its own secrets from. */
function secretNames({ providers }: Config): readonly string[] {
  const keys = [...providers.values()].flatMap((provider) =>
    provider.kind === 'scripted' || provider.apiKeyEnv === null ? [] : [provider.apiKeyEnv],
  );
  return ['DATABASE_URL', 'PGPASSWORD', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', ...keys];
}
