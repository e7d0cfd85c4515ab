/** Real daemons for end-to-end tests: `animus serve` as a separate process that tests can kill. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { sharedCompileCache } from './compile-cache.ts';
import { copyEmbeddedDatabase } from './embedded-template.ts';

/** The command as users start it; `npm run test:e2e` starts the same sources from one file (bundled-animus.ts). */
export const LAUNCHER = process.env['ANIMUS_TEST_LAUNCHER'] || resolve(import.meta.dirname, '../../src/animus.js');

/** A directory with configuration and faculties, and a separate home. */
export interface Site {
  readonly directory: string;
  readonly home: string;
  /** The environment of every command that belongs to the site. */
  readonly env: Readonly<Record<string, string>>;
}

export interface SiteOptions {
  /** If missing: the embedded database. */
  readonly databaseUrl?: string;
  /** Address of the model server; null: neither addresses nor keys of providers are set. */
  readonly modelUrl: string | null;
  /** The text of animus.toml. */
  readonly config?: string;
  /** Faculty files by name, without `.toml`. */
  readonly faculties: Readonly<Record<string, string>>;
  /** The first command creates the embedded database, as at a user's first start. Default false: it exists and is migrated. */
  readonly firstStart?: boolean;
  /** Further files in the directory, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

/** When what was made is to be removed; default: when the test has finished. */
export type WhenDone = (remove: () => void | Promise<void>) => void;

/** Creates a site in a temporary directory, which is removed when the test has finished. */
export function makeSite(options: SiteOptions, whenDone: WhenDone = onTestFinished): Site {
  const directory = mkdtempSync(join(tmpdir(), 'animus-e2e-'));
  whenDone(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  mkdirSync(join(directory, 'faculties'));
  writeFileSync(join(directory, 'animus.toml'), options.config ?? '');
  for (const [name, text] of Object.entries(options.files ?? {})) writeFileSync(join(directory, name), text);
  for (const [name, text] of Object.entries(options.faculties)) {
    writeFileSync(join(directory, 'faculties', `${name}.toml`), text);
  }
  const home = join(directory, 'home');
  if (options.databaseUrl === undefined && !options.firstStart) copyEmbeddedDatabase(home);
  const env = {
    ...sharedCompileCache(),
    PATH: process.env['PATH'] ?? '',
    HOME: directory,
    ANIMUS_HOME: home,
    ...(options.modelUrl !== null && providersAt(options.modelUrl)),
    ...(options.databaseUrl !== undefined && { DATABASE_URL: options.databaseUrl }),
  };
  return { directory, home, env };
}

function providersAt(url: string) {
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'test-key',
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: 'test-key',
  };
}

export interface DaemonProcess {
  readonly pid: number;
  /** Its output so far, both streams. */
  output(): string;
  /** Sends a signal and resolves when the process is gone, if the signal ends it. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** The exit code, or the name of the signal. */
  readonly exited: Promise<number | string>;
}

/** Starts `animus serve` (another `launcher` is another version) and resolves when it is ready for work; it is killed when the test has finished. */
export async function startDaemon(
  site: Site,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  onSpawn: (pid: number) => void = () => {},
  launcher = LAUNCHER,
  whenDone: WhenDone = onTestFinished,
): Promise<LaunchedDaemon> {
  const daemon = launchDaemon(site, args, env, onSpawn, launcher, whenDone);
  await daemon.says('serving ');
  return daemon;
}

/** A daemon that may not be serving yet. */
export interface LaunchedDaemon extends DaemonProcess {
  /** Resolves when its output contains the text; rejects if it ends before. */
  says(text: string): Promise<void>;
}

/** Starts `animus serve` without waiting for it; it is killed when the test has finished. */
export function launchDaemon(
  site: Site,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  onSpawn: (pid: number) => void = () => {},
  launcher = LAUNCHER,
  whenDone: WhenDone = onTestFinished,
): LaunchedDaemon {
  const child = spawn(process.execPath, [launcher, 'serve', ...args], {
    cwd: site.directory,
    // Another version is in a new directory each time, so caching its code is useless.
    env: { ...site.env, ...(launcher !== LAUNCHER && { NODE_COMPILE_CACHE: '' }), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onSpawn(child.pid!);
  const chunks: string[] = [];
  const output = () => chunks.join('');
  const exited = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string);
  whenDone(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await exited;
  });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  return {
    pid: child.pid!,
    output,
    exited,
    says: (text) => untilSaid(child, output, text, exited),
    async kill(signal) {
      child.kill(signal);
      if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await exited;
    },
  };
}

function untilSaid(
  child: ChildProcess,
  output: () => string,
  text: string,
  exited: Promise<number | string>,
): Promise<void> {
  return new Promise((said, fail) => {
    const look = () => {
      if (output().includes(text)) said();
    };
    look();
    child.stdout!.on('data', look);
    child.stderr!.on('data', look);
    void exited.then((how) => fail(new Error(`the daemon ended (${how}) before it said "${text}":\n${output()}`)));
  });
}

/** Runs a command of the site until it exits. */
export async function runAnimus(
  site: Site,
  args: readonly string[],
  /** Is called with all standard output so far, whenever there is more. */
  onOutput: (stdout: string) => void = () => {},
): Promise<{ readonly exit: number | string; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, [LAUNCHER, ...args], {
    cwd: site.directory,
    env: site.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout.push(chunk);
    onOutput(Buffer.concat(stdout).toString());
  });
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { exit: code ?? signal!, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
}
