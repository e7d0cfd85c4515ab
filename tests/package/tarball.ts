/** The package as npm packs it, and shells in which a given version of Node is first on the PATH. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** The clone. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What npm reports about a package it has packed. */
export interface Packed {
  readonly filename: string;
  readonly version: string;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

/** Tens of thousands of files have to be removed, on a machine that may be busy. */
const CLEAN_UP_MS = 600_000;

/** Runs `npm pack` on the result of `npm run build` in dist/; with `into`, writes the tarball there. */
export async function pack(into?: string): Promise<Packed> {
  if (!existsSync(join(ROOT, 'dist/main.js')))
    throw new Error('there is no dist/: run "npm run test:package", which builds it');
  const target = into === undefined ? ['--dry-run'] : ['--pack-destination', into];
  const { code, stdout, stderr } = await nodeShell(process.execPath).run(
    ['npm', 'pack', '--json', '--ignore-scripts', ...target],
    { cwd: ROOT },
  );
  if (code !== 0) throw new Error(stderr);
  return (JSON.parse(stdout) as [Packed])[0];
}

/** An empty directory until the test has finished, with a space and non-ASCII letters in its path. */
export function emptyDirectory(name: string): string {
  const parent = mkdtempSync(join(tmpdir(), 'animus-package-'));
  // Some tests drop root privileges.
  chmodSync(parent, 0o755);
  onTestFinished(() => rm(parent, { recursive: true, force: true, maxRetries: 5 }), CLEAN_UP_MS);
  const directory = join(parent, `${name} für 日本`);
  mkdirSync(directory);
  return directory;
}

/** A Node of this major version: the one that runs the tests, or one that npm installs below `directory`. */
export async function installNode(major: number, directory: string): Promise<string> {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  const place = join(directory, `node-${major}`);
  mkdirSync(place);
  const { code, stderr } = await nodeShell(process.execPath).run(['npm', 'install', `${name}@${major}`], {
    cwd: place,
  });
  if (code !== 0) throw new Error(stderr);
  return join(place, 'node_modules', name, 'bin', 'node');
}

export interface NodeShell {
  /** Runs a program with its arguments until it exits, or gets SIGTERM after `until`. `HOME` is that of the tests unless `env` overrides it. */
  run(
    command: readonly [string, ...string[]],
    options: {
      readonly cwd: string;
      readonly env?: Readonly<Record<string, string>>;
      readonly uid?: number;
      readonly until?: Promise<void>;
    },
  ): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

/** A shell in which `node`, `npm` and `npx` are this Node, without the settings of the npm that runs the tests. */
export function nodeShell(node: string): NodeShell {
  const bin = mkdtempSync(join(tmpdir(), 'animus-bin-'));
  chmodSync(bin, 0o755);
  onTestFinished(() => rmSync(bin, { recursive: true, force: true }));
  const npm = process.env['npm_execpath'];
  if (npm === undefined) throw new Error('npm is not known: run "npm run test:package"');
  symlinkSync(node, join(bin, 'node'));
  symlinkSync(npm, join(bin, 'npm'));
  symlinkSync(join(dirname(npm), 'npx-cli.js'), join(bin, 'npx'));
  const outside = Object.entries(process.env).filter(
    ([name]) => !/^npm_|^NODE_(ENV|OPTIONS|COMPILE_CACHE)|^VITEST/.test(name),
  );
  const quiet = {
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    npm_config_prefer_offline: 'true',
  };
  return {
    async run([program, ...args], { cwd, env = {}, uid, until }) {
      const child = spawn(program, args, {
        cwd,
        env: { ...Object.fromEntries(outside), ...quiet, PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        ...(uid !== undefined && { uid, gid: uid }),
      });
      void until?.then(() => child.kill('SIGTERM'));
      let [stdout, stderr] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      const [code] = (await once(child, 'close')) as [number | null];
      return { code, stdout, stderr };
    },
  };
}
