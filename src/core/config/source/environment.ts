/** Reads settings from the environment and checks each. An empty variable counts as unset. */

import { type Problem, problemAt, showValue } from '../../errors/problem.ts';
import { didYouMean } from '../../errors/suggest.ts';
import { Secret } from '../../secrets/secret.ts';
import { isPlainHttpUrl } from '../../text/addresses.ts';

/** The values of LOG_LEVEL; default `info`. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** The process's environment, or a test's. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The content of the file that a `*_FILE` variable names. `mode` is null if the system has no file modes. */
export type SecretFile =
  | { readonly ok: true; readonly text: string; readonly mode: number | null }
  | { readonly ok: false; readonly detail: string };

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

/** Reads single variables and collects their problems. */
export interface EnvironmentReader {
  /** The variable's value; null when unset or empty. */
  text(name: string): string | null;
  /** An http or https URL without credentials. */
  url(name: string): string | null;
  oneOf<Value extends string>(name: string, values: readonly Value[]): Value | null;
  /** The secret in the variable, or in the file that `NAME_FILE` names. Both at once, an unsafe mode and an empty file are problems. */
  secret(name: string): Secret | null;
  /** The name of the variable a secret would be read from: `NAME`, `NAME_FILE`, or null when neither is set. */
  secretOrigin(name: string): string | null;
  readonly problems: readonly Problem[];
}

/** Reads settings from an environment; `readSecretFile` reads the files named by `*_FILE` variables. */
export function environmentReader(env: Environment, readSecretFile: (path: string) => SecretFile): EnvironmentReader {
  const problems: Problem[] = [];
  const text = (name: string) => env[name] || null;
  const invalid = (key: string, expected: string, value: string, hint = '') =>
    problems.push(problemAt('config.invalid', { file: 'environment', line: null, key }, { expected, value, hint }));

  return {
    problems,
    text,
    url(name) {
      const value = text(name);
      if (value === null || isPlainHttpUrl(value)) return value;
      // A URL that carries credentials is refused, so its text may be a secret.
      invalid(name, 'an http:// or https:// URL without user and password', '***');
      return null;
    },
    oneOf(name, values) {
      const value = text(name);
      const known = values.find((candidate) => candidate === value);
      if (value !== null && known === undefined) {
        invalid(name, `one of ${values.join(', ')}`, showValue(value), didYouMean(value, values));
      }
      return known ?? null;
    },
    secret(name) {
      const [value, path] = [text(name), text(`${name}_FILE`)];
      if (value !== null && path !== null) {
        const detail = `${name} and ${name}_FILE are both set; unset one of them`;
        problems.push(problemAt('config.conflict', { file: 'environment', line: null, key: name }, { detail }));
        return null;
      }
      if (path === null) return value === null ? null : new Secret(value);
      return secretOf(`${name}_FILE`, path, readSecretFile(path), problems);
    },
    secretOrigin: (name) => (text(name) ? name : text(`${name}_FILE`) ? `${name}_FILE` : null),
  };
}

function secretOf(key: string, path: string, file: SecretFile, problems: Problem[]): Secret | null {
  const place = { file: path, line: null, key };
  if (!file.ok) {
    problems.push(problemAt('config.unreadable', place, { detail: `${file.detail} (named by ${key})` }));
    return null;
  }
  if (file.mode !== null && (file.mode & 0o077) !== 0) {
    const mode = (file.mode & 0o777).toString(8).padStart(4, '0');
    problems.push(problemAt('config.secret_mode', place, { mode }));
    return null;
  }
  const text = file.text.trim();
  if (text === '') {
    problems.push(problemAt('config.invalid', place, { expected: 'a secret in the file', value: 'nothing', hint: '' }));
    return null;
  }
  return new Secret(text);
}
