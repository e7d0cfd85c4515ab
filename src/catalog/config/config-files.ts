/** The environment and the files of this machine from which the configuration is read. */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { ConfigSources, Environment, SecretFile } from '../../core/config/source/environment.ts';
import { AnimusError, fileFault } from '../../core/errors/errors.ts';
import { readSmallFile } from '../../core/files/regular-file.ts';

/** The sources of the configuration. */
export interface LoadConfigOptions {
  readonly env: Environment;
  readonly cwd: string;
  /** From `--config`: the file must exist. Without it, `animus.toml` in `cwd` is read if it exists. */
  readonly configFile?: string | undefined;
}

/** The text of animus.toml; null when there is none. Errors: `config.unreadable`. */
export function readToml({ cwd, configFile }: LoadConfigOptions): ConfigSources['toml'] {
  const path = resolve(cwd, configFile ?? 'animus.toml');
  try {
    return { path, text: readSmallFile(path) };
  } catch (error) {
    if (configFile === undefined && (error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new AnimusError('config.unreadable', { file: path, detail: fileFault(error) }, { cause: error });
  }
}

/** Everything that a configuration is read from, with this animus.toml. */
export function sourcesOf({ env, cwd }: LoadConfigOptions, toml: ConfigSources['toml']): ConfigSources {
  return { env, cwd, toml, userHome: userHome(env), readSecretFile: (path) => readSecretFile(resolve(cwd, path)) };
}

function userHome(env: Environment): string | null {
  if (process.platform !== 'win32') return env['HOME'] || null;
  return env['USERPROFILE'] || homedir() || null;
}

/** Reads a file that a `*_FILE` variable names. The mode is checked before the content is read. Windows has no modes. */
export function readSecretFile(path: string): SecretFile {
  try {
    const mode = process.platform === 'win32' ? null : statSync(path).mode;
    if (mode !== null && (mode & 0o077) !== 0) return { ok: true, text: '', mode };
    return { ok: true, text: readSmallFile(path), mode };
  } catch (error) {
    return { ok: false, detail: fileFault(error) };
  }
}
