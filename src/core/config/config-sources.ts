import type { Environment, SecretFile } from './environment.ts';

/** All that a configuration is made of. */
export interface ConfigSources {
  readonly env: Environment;
  /** animus.toml; null when there is none. `path` is absolute. */
  readonly toml: { readonly path: string; readonly text: string } | null;
  /** The user's home directory; null when the system knows none. */
  readonly userHome: string | null;
  /** Relative paths in the environment start here. Absolute. */
  readonly cwd: string;
  readonly readSecretFile: (path: string) => SecretFile;
}
