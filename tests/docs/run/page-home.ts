/** The fresh home of a page: what a new user has, with `animus` and its package resolved to this checkout. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { processesWith } from '../../process/live-processes.ts';
import { sharedCompileCache } from '../../support/compile-cache.ts';
import { LAUNCHER } from '../../support/daemon-process.ts';
import { copyEmbeddedDatabase } from '../../support/embedded-template.ts';
import { eventually } from '../../support/eventually.ts';
import type { PageSettings } from '../page/directive.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

export interface PageHome {
  /** HOME of its commands. */
  readonly home: string;
  /** Where they start: `project` in the home. */
  readonly directory: string;
  /** For what the runner writes for itself. */
  readonly files: string;
  readonly env: Readonly<Record<string, string>>;
  /** Removes it. Rejects if a process of it was still there, which it kills. */
  remove(): Promise<void>;
}

/** Creates it. `databaseUrl` null: commands use the embedded database. `extra` is added to the environment of commands. */
export function makePageHome(
  { database, appliance = false }: PageSettings,
  databaseUrl: string | null,
  extra: Readonly<Record<string, string>>,
): PageHome {
  const home = mkdtempSync(join(tmpdir(), 'animus-docs-'));
  const [directory, files] = [join(home, 'project'), join(home, '.docs')];
  for (const each of [directory, files]) mkdirSync(each);
  if (appliance) copyRepository(directory);
  installAnimus(home);
  if (database === 'embedded') copyEmbeddedDatabase(join(home, '.animus'));
  const env = {
    ...sharedCompileCache(),
    HOME: home,
    // Pages do without the answers of a registry.
    npm_config_offline: 'true',
    PATH: `${join(home, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
    LANG: 'C.UTF-8',
    CLONE: ROOT,
    ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }),
    ...extra,
  };
  return {
    home,
    directory,
    files,
    env,
    async remove() {
      const none = () => (processesWith(home).length === 0 ? true : null);
      const isEmpty = await eventually('its processes end', none, 10).catch(() => false);
      const left = processesWith(home).map((pid) => `${pid} ${commandOf(pid)}`);
      for (const pid of processesWith(home)) process.kill(pid, 'SIGKILL');
      await eventually('its processes end after SIGKILL', none);
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
      if (!isEmpty) throw new Error(`processes were left behind:\n${left.join('\n')}`);
    },
  };
}

function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
}

/** What a clone has, with the changes that are not committed yet. */
function copyRepository(directory: string): void {
  const git = ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'].join(' ');
  execFileSync(
    'bash',
    ['-c', `${git} | tar --create --null --ignore-failed-read --files-from=- | tar --extract -C "$0"`, directory],
    {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
}

/** As `npm install` does, but with the sources of this checkout, which Node 24 runs as they are. */
function installAnimus(home: string): void {
  const modules = join(home, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  symlinkSync(LAUNCHER, join(modules, '.bin/animus'));
  // Otherwise each command would start a second Node, where that of the machine is older.
  symlinkSync(process.execPath, join(modules, '.bin/node'));
  mkdirSync(join(modules, 'animus'));
  symlinkSync(join(ROOT, 'src'), join(modules, 'animus/src'));
  const exports = { '.': './src/library.ts', './client': './src/client/client.ts' };
  writeFileSync(join(modules, 'animus/package.json'), JSON.stringify({ name: 'animus', type: 'module', exports }));
  for (const name of ['pg', '@types']) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
}
