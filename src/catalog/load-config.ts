/** Loads the configuration from the environment and the files of this machine. */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Config } from '../core/config/config.ts';
import type { ConfigSources } from '../core/config/config-sources.ts';
import type { Environment, SecretFile } from '../core/config/environment.ts';
import { type Reach, readReach } from '../core/config/reach.ts';
import { readConfig } from '../core/config/read-config.ts';
import { AnimusError, fileFault, isAnimusError } from '../core/errors/errors.ts';
import { readSmallFile } from './read-small-file.ts';

/** The sources of the configuration. */
export interface LoadConfigOptions {
  readonly env: Environment;
  readonly cwd: string;
  /** From `--config`: the file must exist. Without it, `animus.toml` in `cwd` is read if it exists. */
  readonly configFile?: string | undefined;
}

/** Loads the configuration; throws an AnimusError `config.*` naming every problem. Reads synchronously: the files are small. */
export function loadConfig(options: LoadConfigOptions): Config {
  return readConfig(sourcesOf(options, readToml(options)));
}

/**
 * What a command needs to find its database and its daemon, also where animus.toml is broken: then with the problem. Throws as
 * `loadConfig` does for what the environment says, and for a file that was named and cannot be read.
 */
export function loadReach(options: LoadConfigOptions): Reach {
  let toml: ReturnType<typeof readToml> = null;
  try {
    toml = readToml(options);
  } catch (error) {
    if (options.configFile !== undefined || !isAnimusError(error)) throw error;
    return { ...readReach(sourcesOf(options, null)), problem: error };
  }
  return readReach(sourcesOf(options, toml));
}

function sourcesOf({ env, cwd }: LoadConfigOptions, toml: ConfigSources['toml']): ConfigSources {
  return { env, cwd, toml, userHome: userHome(env), readSecretFile: (path) => readSecretFile(resolve(cwd, path)) };
}

function readToml({ cwd, configFile }: LoadConfigOptions): ConfigSources['toml'] {
  const path = resolve(cwd, configFile ?? 'animus.toml');
  try {
    return { path, text: readSmallFile(path) };
  } catch (error) {
    if (configFile === undefined && (error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new AnimusError('config.unreadable', { file: path, detail: fileFault(error) }, { cause: error });
  }
}

function userHome(env: Environment): string | null {
  if (process.platform !== 'win32') return env['HOME'] || null;
  return env['USERPROFILE'] || homedir() || null;
}

/** The mode is checked before the content is read. Windows has no modes. */
function readSecretFile(path: string): SecretFile {
  try {
    const mode = process.platform === 'win32' ? null : statSync(path).mode;
    if (mode !== null && (mode & 0o077) !== 0) return { ok: true, text: '', mode };
    return { ok: true, text: readSmallFile(path), mode };
  } catch (error) {
    return { ok: false, detail: fileFault(error) };
  }
}
