/** The variables of the daemon that MCP servers may get: those that a faculty names, and never a secret of animus itself. */
import { resolve } from 'node:path';
import { readSecretFile } from '../../catalog/config/config-files.ts';
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { FixedConfig } from '../../core/config/config.ts';
import { type Environment, environmentReader } from '../../core/config/source/environment.ts';
import { type Problem, placeAt, problemAt } from '../../core/errors/problem.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import { ownSecrets } from './secret-files.ts';

/**
 * Reads a variable, or the file that NAME_FILE names; the file is read at each call, so a secret can be replaced. Null: not set, not
 * readable, or animus's own.
 */
export function mcpVariables(config: FixedConfig, env: Environment, cwd: string): (name: string) => Secret | null {
  const isOwn = ownSecrets(config);
  return (name) => {
    if (isOwn(name)) return null;
    return environmentReader(env, (path) => readSecretFile(resolve(cwd, path))).secret(name);
  };
}

/** The problems of a faculty that would give a server a secret of animus. */
export function mcpVariableProblems({ file, mcp = [], origins }: Faculty, config: FixedConfig): readonly Problem[] {
  const isOwn = ownSecrets(config);
  return mcp.flatMap(({ name, environment, headers }) => {
    const inHeaders = Object.entries(headers).map(([header, variable]) => [`headers.${header}`, variable] as const);
    const named = [...environment.map((variable) => ['env', variable] as const), ...inHeaders];
    return named
      .filter(([, variable]) => isOwn(variable))
      .map(([key, variable]) => {
        const place = placeAt(origins[`mcp.${name}.${key}`], file, `faculty.mcp.${name}.${key}`);
        const detail = `${variable} is a variable of animus itself, which no MCP server gets; give the server a secret of its own`;
        return problemAt('config.conflict', place, { detail });
      });
  });
}
