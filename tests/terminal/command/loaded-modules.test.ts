import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadedModules, RECORDER } from '../../support/loaded-modules.ts';

// A command starts as quickly as what it loads. How much each command loads is in the table of tests/counts.
const LAUNCHER = new URL('../../../src/animus.js', import.meta.url).pathname;

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'modules-'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

describe('a command loads no package that it does not use', () => {
  test.each(['--version', '--help', 'work submit --help'])('%s: the launcher answers', async (line) => {
    const { packages, files } = await loadedModules(cwd, [LAUNCHER, ...line.split(' ')]);
    expect(packages).toEqual([]);
    expect(files.map((url) => basename(url))).toEqual(['animus.js', 'quick-answers.js']);
  });
});

test('the daemon loads the SDK of MCP with the first call only', async () => {
  const services = new URL('../../../src/daemon/services.ts', import.meta.url).pathname;
  const { packages } = await loadedModules(cwd, [services]);
  expect(packages).toContain('undici');
  expect(packages.filter((name) => name.startsWith('@modelcontextprotocol'))).toEqual([]);
});

test('the API loads the SDK of MCP with the first request for it only', async () => {
  const api = new URL('../../../src/http/api/serve-api.ts', import.meta.url).pathname;
  const { packages } = await loadedModules(cwd, [api]);
  expect(packages).toContain('hono');
  expect(packages.filter((name) => name.startsWith('@modelcontextprotocol'))).toEqual([]);
});

test('the daemon loads the client of container engines for an engine only', async () => {
  const daemon = new URL('../../../src/daemon/daemon.ts', import.meta.url).pathname;
  const { packages } = await loadedModules(cwd, [daemon]);
  expect(packages).toContain('undici');
  expect(packages.filter((name) => /dockerode|docker-modem|ssh2/.test(name))).toEqual([]);
});

test('without the name of its file, the recorder writes none', async () => {
  const failure = await new Promise<Error | null>((resolve) => {
    execFile(process.execPath, ['--import', RECORDER, '--eval', ''], { cwd, env: {} }, resolve);
  });
  expect(failure?.message).toContain('LOADED_MODULES is not set');
  expect(existsSync(join(cwd, 'undefined'))).toBe(false);
});
