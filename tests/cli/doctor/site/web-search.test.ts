/** Promise: the key of a search endpoint is guarded like the keys of models, and what is missing is said before work fails. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../../../src/catalog/config/load-config.ts';
import { secretNames, secretPlaces } from '../../../../src/daemon/guard/secret-files.ts';
import { run } from '../../run-cli.ts';

const FACULTY =
  '[faculty]\nname = "scout"\n[faculty.engage]\nmodel = "claude-sonnet-4-5"\nsystem_prompt = "p"\ntools = ["web_search"]\n';
const BRAVE = '[web.search]\nkind = "brave"\n';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'search-'));
  mkdirSync(join(cwd, 'faculties'));
  writeFileSync(join(cwd, 'faculties', 'scout.toml'), FACULTY);
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const animus = (toml: string, argv: readonly string[], env: Record<string, string> = {}) => {
  writeFileSync(join(cwd, 'animus.toml'), toml);
  return run(argv, { cwd, env: { ANIMUS_HOME: join(cwd, 'home'), ...env } });
};

const finding = async (toml: string, env: Record<string, string> = {}) => {
  const { findings } = JSON.parse((await animus(toml, ['doctor', '--json'], env)).stdout);
  return findings.find(({ check }: { check: string }) => check === 'web search');
};

describe('[web.search]', () => {
  test('is required by a faculty with web_search', async () => {
    const { code, stdout } = await animus('', ['faculty', 'check']);
    expect(code).not.toBe(0);
    expect(stdout).toContain('for web_search, set [web.search] in animus.toml with kind = one of "searxng"');
    expect((await animus(BRAVE, ['faculty', 'check'])).code).toBe(0);
  });

  test.each([
    ['kind = "searxng"', 'kind "searxng" needs url, the address of your server'],
    ['kind = "brave"\nurl = "https://search.example/?key=x"', 'without a query'],
    ['kind = "google"', 'expected "searxng" or "brave" or "tavily", got "google"'],
    ['kind = "brave"\nurl = "https://ada:hunter2@search.example"', 'without user and password'],
    ['kind = "brave"\napi_key = "x"', 'web.search.api_key: unknown key'],
  ])('is refused with %s', async (lines, message) => {
    const { code, stderr } = await animus(`[web.search]\n${lines}\n`, ['config']);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr).not.toContain('hunter2');
  });

  test('is shown with its origins and without its key', async () => {
    const { stdout } = await animus(`${BRAVE}timeout_seconds = 5\n`, ['config'], { BRAVE_API_KEY: 'the-key' });
    expect(stdout).toMatch(/web\.search\.kind +brave +.*animus\.toml:2/);
    expect(stdout).toMatch(/web\.search\.url +https:\/\/api\.search\.brave\.com +default/);
    expect(stdout).toMatch(/web\.search\.api_key +\*\*\* +environment BRAVE_API_KEY/);
    expect(stdout).toMatch(/web\.search\.timeout_seconds +5 +.*animus\.toml:3/);
    expect(stdout).not.toContain('the-key');
  });

  test('without its key is noted by the doctor', async () => {
    expect(await finding(BRAVE)).toMatchObject({
      state: 'note',
      detail: 'BRAVE_API_KEY is not set, but these faculties search with brave: scout',
      remedy: 'set BRAVE_API_KEY, or BRAVE_API_KEY_FILE, where the daemon runs',
    });
    expect(await finding(BRAVE, { BRAVE_API_KEY: 'x' })).toMatchObject({ state: 'ok' });
    expect(await finding('[web.search]\nkind = "searxng"\nurl = "http://127.0.0.1:8888/"\n')).toMatchObject({
      detail: 'searxng at http://127.0.0.1:8888; no search was made',
    });
  });

  test('has a key file that agents cannot reach', () => {
    const file = join(cwd, 'brave.key');
    writeFileSync(file, 'k', { mode: 0o600 });
    writeFileSync(join(cwd, 'animus.toml'), '[web.search]\nkind = "brave"\napi_key_env = "FINDER"\n');
    const env = { HOME: cwd, ANIMUS_HOME: join(cwd, 'home'), FINDER_FILE: file };
    const config = loadConfig({ env, cwd });
    expect(config.web.search?.apiKey?.reveal()).toBe('k');
    expect(secretNames(config)).toContain('FINDER');
    expect(secretPlaces(config, env).secrets).toContain(file);
  });
});
