/** What neither commands nor file tools may reach on this host: the secrets of animus, and ways around the isolation. */
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Config } from '../../core/config/config.ts';
import type { Environment } from '../../core/config/environment.ts';

/**
 * The embedded database with its password, the files that `*_FILE` variables name, and what the driver of Postgres looks a
 * password or a key up in; and the sockets of sessions of this user. Real paths, also of what does not exist (yet).
 */
export function hiddenPaths(config: Config, env: Environment): readonly string[] {
  const named = secretNames(config).flatMap((name) => env[`${name}_FILE`] || []);
  const url = config.databaseUrl?.reveal() ?? '';
  const key = new URLSearchParams(url.split('?')[1] ?? '').get('sslkey');
  const passwords = env['PGPASSFILE'] || join(env['HOME'] || homedir(), '.pgpass');
  const own = [join(config.home, 'embedded.json'), join(config.home, 'db')];
  const secrets = [...own, passwords, ...(key ? [key] : []), ...named];
  return [...secrets, ...sessionSockets()].map((path) => realPathOf(resolve(path)));
}

/** A service manager, tmux or screen of the same user would run for a command, outside of its namespaces, whatever it is asked to. */
function sessionSockets(): readonly string[] {
  const uid = process.getuid?.();
  return uid === undefined ? [] : [`/run/user/${uid}`, `/tmp/tmux-${uid}`, '/run/screen'];
}

/** The variables that animus takes its own secrets from. */
export function secretNames({ providers }: Config): readonly string[] {
  const keys = [...providers.values()].flatMap((provider) =>
    provider.kind === 'scripted' || provider.apiKeyEnv === null ? [] : [provider.apiKeyEnv],
  );
  return ['DATABASE_URL', 'PGPASSWORD', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', ...keys];
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === dirname(path) ? path : join(realPathOf(dirname(path)), basename(path));
  }
}
