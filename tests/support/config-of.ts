import type { Config } from '../../src/core/config/config.ts';
import { readConfig } from '../../src/core/config/read-config.ts';

/** Every key of animus. */
export const ALL_KEYS = { ANIMUS_WEBHOOK_KEY: 'k'.repeat(64) };

/** The configuration of an environment, without animus.toml. */
export function configOf(env: Readonly<Record<string, string>> = {}): Config {
  return readConfig({
    env,
    toml: null,
    userHome: '/nowhere',
    cwd: '/nowhere',
    readSecretFile: () => ({ absent: true }) as never,
  });
}
