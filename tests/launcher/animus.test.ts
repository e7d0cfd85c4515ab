import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

// A copy of the launcher in a package of its own, with a main that shows what it was given. What the launcher takes
// for its own version is faked by --import, so that one machine can play both an old and a new Node.
const SOURCES = new URL('../../src/', import.meta.url).pathname;
const LAUNCHER = join(SOURCES, 'animus.js');
const QUICK = ['quick-answers.js', 'help.json'];
const PLATFORM_PACKAGE = `node-${process.platform}-${process.arch}`;
const MAIN = `
export async function main() {
  console.log(JSON.stringify({ args: process.argv.slice(2), node: process.execPath, cache: process.env.NODE_COMPILE_CACHE ?? null }));
  if (process.argv[2] === 'exit') process.exit(Number(process.argv[3]));
  if (process.argv[2] === 'die') process.kill(process.pid, 'SIGKILL');
  if (process.argv[2] === 'environment') console.log(JSON.stringify(process.env));
  if (process.argv[2] === 'wait') {
    process.on('SIGTERM', () => { console.log('got SIGTERM'); process.exit(7); });
    setInterval(() => {}, 1000);
    console.log('ready');
  }
}`;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'launcher-'));
  mkdirSync(join(root, 'src'));
  writeFileSync(join(root, 'package.json'), '{"type":"module","version":"1.2.3"}');
  for (const name of ['animus.js', ...QUICK]) copyFileSync(join(SOURCES, name), join(root, 'src', name));
  writeFileSync(join(root, 'src/main.ts'), MAIN);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('the launcher', () => {
  test('continues in its own process if Node is recent enough', async () => {
    const { stdout, code } = await launch(['a', 'b c', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ args: ['a', 'b c', '--json'], node: process.execPath });
  });

  test('under an old Node starts the packaged Node with a compile cache, and exits with its exit code', async () => {
    installPackagedNode('24.21.0');
    const { stdout, code } = await launch(['exit', '5'], { as: '20.20.2' });
    expect(code).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject({
      args: ['exit', '5'],
      node: join(root, 'node_modules', PLATFORM_PACKAGE, 'bin/node'),
      cache: expect.stringMatching(/animus.compile-cache$/),
    });
  });

  test('keeps a compile cache that is already configured', async () => {
    installPackagedNode('24.21.0');
    const { stdout } = await launch(['serve'], { as: '16.0.0', env: { NODE_COMPILE_CACHE: join(root, 'mine') } });
    expect(JSON.parse(stdout)).toMatchObject({ cache: join(root, 'mine') });
  });

  test('dies of the same signal as its child', async () => {
    installPackagedNode('24.21.0');
    expect(await launch(['die'], { as: '18.0.0' })).toMatchObject({ code: null, signal: 'SIGKILL' });
  });

  test('forwards signals and waits for the end', async () => {
    installPackagedNode('24.21.0');
    const child = spawn(process.execPath, launchArgs(['wait'], '20.20.2'), { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      if (out.endsWith('ready\n')) child.kill('SIGTERM');
    });
    const [code] = await once(child, 'close');
    expect(code).toBe(7);
    expect(out).toContain('got SIGTERM');
  });

  test('takes its child with it when it is killed', async () => {
    installPackagedNode('24.21.0');
    const launcher = spawn(process.execPath, launchArgs(['wait'], '20.20.2'), { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    launcher.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      if (out.endsWith('ready\n')) launcher.kill('SIGKILL');
    });
    // Its stdout is also the child's: it closes when both have ended.
    await once(launcher, 'close');
    expect(out).toContain('got SIGTERM');
  });

  test('does not pass the pipe on to processes that the child starts', async () => {
    installPackagedNode('24.21.0');
    const { stdout } = await launch(['environment'], { as: '20.20.2' });
    expect(stdout).not.toContain('LAUNCHER');
  });

  test('without a packaged Node, or with one too old, says what it found and what to do', async () => {
    const without = await launch(['serve'], { as: '20.20.2' });
    expect(without).toMatchObject({ code: 1, stdout: '' });
    expect(without.stderr).toContain('needs Node 24.12 or later, found 20.20.2');
    expect(without.stderr).toContain('npm install');
    installPackagedNode('24.3.0');
    expect((await launch(['serve'], { as: '20.20.2' })).stderr).toBe(without.stderr);
  });

  test('runs the build if there are no sources, as in an installed package', async () => {
    mkdirSync(join(root, 'dist/program'), { recursive: true });
    writeFileSync(join(root, 'dist/program/main.js'), 'export const main = async () => console.log("built");');
    for (const name of QUICK) copyFileSync(join(SOURCES, name), join(root, 'dist', name));
    const { stdout } = await launch(['serve']);
    expect(JSON.parse(stdout), 'a clone with a build runs its sources').toMatchObject({ args: ['serve'] });
    for (const name of ['main.ts', ...QUICK]) rmSync(join(root, 'src', name));
    expect((await launch(['serve'])).stdout).toBe('built\n');
    expect((await launch(['--help'])).stdout).toMatch(/^Usage: animus /);
  });

  test('answers --version and --help in its own process, also under an old Node and without a packaged one', async () => {
    rmSync(join(root, 'src/main.ts'));
    mkdirSync(join(root, 'dist'));
    for (const name of QUICK) copyFileSync(join(SOURCES, name), join(root, 'dist', name));
    expect(await launch(['--version'], { as: '16.0.0' })).toMatchObject({
      code: 0,
      stdout: 'animus 1.2.3\n',
      stderr: '',
    });
    const { code, stdout } = await launch(['work', 'submit', '--help'], { as: '16.0.0' });
    expect([code, stdout.split('\n', 1)[0]]).toEqual([
      0,
      'Usage: animus work submit [options] <faculty> [description]',
    ]);
    expect((await launch([], { as: '16.0.0' })).stdout).toBe((await launch(['--help'])).stdout);
  });

  test('ends in peace when the reader of the help has left, and fails when the help cannot be written', async () => {
    const child = spawn(process.execPath, [LAUNCHER, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect([code, stderr]).toEqual([0, '']);
    if (!existsSync('/dev/full')) return;
    const full = openSync('/dev/full', 'w');
    const failing = spawn(process.execPath, [LAUNCHER, '--version'], { stdio: ['ignore', full, 'pipe'] });
    closeSync(full);
    const [said, [failed]] = await Promise.all([text(failing.stderr!), once(failing, 'exit')]);
    expect([failed, said]).toEqual([1, expect.stringMatching(/^animus: the output cannot be written: ENOSPC/)]);
  });

  test.each(['animus.js', 'quick-answers.js'])('uses no syntax and no import that Node 16 lacks: %s', (name) => {
    const text = readFileSync(join(SOURCES, name), 'utf8');
    if (name === 'animus.js') expect(text.startsWith('#!/usr/bin/env node\n')).toBe(true);
    expect(text).not.toMatch(
      /import\.meta\.(dirname|filename|resolve)|\bwith \{|import \{[^}]*enableCompileCache|Object\.groupBy/,
    );
  });
});

function installPackagedNode(version: string): void {
  const directory = join(root, 'node_modules', PLATFORM_PACKAGE);
  mkdirSync(join(directory, 'bin'), { recursive: true });
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ name: PLATFORM_PACKAGE, version }));
  rmSync(join(directory, 'bin/node'), { force: true });
  // A copy would be 120 MB, and through a link to a shim, execPath would be that of the real Node.
  writeFileSync(join(directory, 'bin/node'), `#!/bin/sh\nexec ${process.execPath} --import ${shim(directory)} "$@"\n`, {
    mode: 0o755,
  });
}

/** Makes the child believe it is the packaged Node. */
function shim(directory: string): string {
  const file = join(directory, 'shim.mjs');
  writeFileSync(file, `process.execPath = ${JSON.stringify(join(directory, 'bin/node'))};`);
  return file;
}

function launchArgs(args: readonly string[], as?: string): string[] {
  if (as === undefined) return [join(root, 'src/animus.js'), ...args];
  const fake = join(root, 'fake.mjs');
  writeFileSync(fake, `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${as}' } });`);
  return ['--import', fake, join(root, 'src/animus.js'), ...args];
}

interface Options {
  readonly as?: string;
  readonly env?: Record<string, string>;
}

function launch(args: readonly string[], { as, env = {} }: Options = {}) {
  const inherited = { ...process.env };
  delete inherited['NODE_COMPILE_CACHE'];
  return new Promise<{ stdout: string; stderr: string; code: number | null; signal: string | null }>((resolve) => {
    const child = execFile(
      process.execPath,
      launchArgs(args, as),
      { env: { ...inherited, ...env } },
      (_, stdout, stderr) => resolve({ stdout, stderr, code: child.exitCode, signal: child.signalCode }),
    );
  });
}
