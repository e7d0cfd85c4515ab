import type { Config } from '../../src/core/config/config.ts';
import { readConfig } from '../../src/core/config/read-config.ts';
import { loadSections } from '../../src/features/features.ts';

const SECTIONS = await loadSections();

/** Every key of animus. */
export const ALL_KEYS = { ANIMUS_WEBHOOK_KEY: 'k'.repeat(64) };

/** The configuration of an environment, without animus.toml. */
export function configOf(env: Readonly<Record<string, string>> = {}): Config {
  const readSecretFile = () => ({ absent: true }) as never;
  return readConfig({ env, toml: null, userHome: '/nowhere', cwd: '/nowhere', readSecretFile }, SECTIONS);
}
