import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../src/catalog/config/load-config.ts';
import { mcpVariables } from '../../../src/daemon/guard/mcp-variables.ts';
import { loadRunnableFaculties } from '../../../src/daemon/reload/load-faculties.ts';

test('a server gets what the faculty names, from a variable or its file, and never a secret of animus', () => {
  const directory = site();
  writeFileSync(join(directory, 'token'), 'from a file\n', { mode: 0o600 });
  writeFileSync(join(directory, 'open'), 'readable by all', { mode: 0o644 });
  const env = {
    HOME: directory,
    TOKEN: 'value',
    OTHER_FILE: 'token',
    OPEN_FILE: join(directory, 'open'),
    DATABASE_URL: 'postgres://secret',
    ANTHROPIC_API_KEY: 'key',
    MY_KEY: 'mine',
    ANIMUS_HOME: '/x',
  };
  const variable = mcpVariables(configOf(directory), env, directory);
  const names = ['TOKEN', 'OTHER', 'OPEN', 'UNSET', 'DATABASE_URL', 'ANTHROPIC_API_KEY', 'MY_KEY', 'ANIMUS_HOME'];
  expect(names.map((name) => variable(name)?.reveal() ?? null)).toEqual([
    'value',
    'from a file',
    ...Array.from({ length: 6 }, () => null),
  ]);
});

test('a faculty that would give a server a secret of animus is not loaded', async () => {
  const directory = site();
  writeFileSync(
    join(directory, 'faculties.toml'),
    `[faculty]
name = "f"
[faculty.engage]
model = "play/x"
system_prompt = "p"
[faculty.mcp.a]
command = "node"
tools = ["t"]
env = ["TOKEN", "MY_KEY"]
[faculty.mcp.b]
url = "https://a.example/mcp"
tools = ["t"]
headers = { Authorization = "DATABASE_URL_FILE" }
`,
  );
  const { faculties, problems } = await loadRunnableFaculties(directory, configOf(directory));
  expect(faculties.size).toBe(0);
  expect(
    problems.map(({ line, key, message }) => [line, key, message.includes('a variable of animus itself')]),
  ).toEqual([
    [9, 'faculty.mcp.a.env', true],
    [13, 'faculty.mcp.b.headers.Authorization', true],
  ]);
});

function configOf(directory: string) {
  const text =
    '[providers.play]\nkind = "scripted"\nscript = "x.toml"\n[providers.mine]\nkind = "openai"\nbase_url = "http://127.0.0.1:1"\napi_key_env = "MY_KEY"\n';
  writeFileSync(join(directory, 'animus.config'), text);
  return loadConfig({ env: { HOME: directory }, cwd: directory, configFile: 'animus.config' });
}

function site(): string {
  const directory = mkdtempSync(join(tmpdir(), 'animus-variables-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}
