import type { Environment, SecretFile } from './environment.ts';

/** Everything a configuration is read from. */
export interface ConfigSources {
  readonly env: Environment;
  /** animus.toml; null when there is none. `path` is absolute. */
  readonly toml: { readonly path: string; readonly text: string } | null;
  /** The user's home directory; null when the user has none. */
  readonly userHome: string | null;
  /** The base of relative paths in the environment. Absolute. */
  readonly cwd: string;
  readonly readSecretFile: (path: string) => SecretFile;
}
