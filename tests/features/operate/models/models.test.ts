import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RunOptions, run } from '../../../cli/run-cli.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'models-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const CONFIG = `
[providers.gateway]
kind = "openai"
base_url = "http://127.0.0.1:9/v1"
[models."anthropic/claude-sonnet-4-5"]
context_window = 12345
[models."gateway/claude-sonnet-4-5"]
usd_per_million = { input = 7, output = 8 }
[models."anthropic/of-my-own"]
max_output = 777
`;

test('lists the catalogue with its date, prices and abilities', async () => {
  const { code, stdout, stderr } = await models([]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(
    /^anthropic\/claude-sonnet-4-5 +200,000 +64,000 +3 +15 +0\.3 +3\.75 +images, thinking \(budget\)$/m,
  );
  expect(stdout).toMatch(/ of \d{4}-\d\d-\d\d, the newest on \d{4}-\d\d-\d\d/);
  expect(stdout).toMatch(/^openai\/gpt-5 /m);
});

test('animus.toml overrides the catalogue key by key', async () => {
  writeFileSync(join(cwd, 'animus.toml'), CONFIG);
  const { stdout } = await models([]);
  expect(stdout).toMatch(/^anthropic\/claude-sonnet-4-5 \* +12,345 +64,000 +3 +15/m);
  expect(stdout).toMatch(/^gateway\/claude-sonnet-4-5 \* +200,000 +64,000 +7 +8 +7 +7/m);
  expect(stdout).toMatch(/^anthropic\/of-my-own \* +128,000 +777 +- +- +- +-$/m);
  const lines = stdout.split('\n');
  const last = lines.findLastIndex((line) => line.startsWith('anthropic/'));
  expect(lines.slice(1, last + 1).every((line) => line.startsWith('anthropic/'))).toBe(true);
  const { models: listed } = JSON.parse((await models(['--provider', 'gateway', '--json'])).stdout);
  expect(listed).toMatchObject([
    {
      provider: 'gateway',
      model: 'claude-sonnet-4-5',
      overridden: true,
      context_window: 200_000,
      usd_per_million: { input: 7, output: 8, cache_read: 7, cache_write: 7 },
      long_prompt: null,
    },
  ]);
});

test('shows one provider; for a provider without a list it says what applies to its models', async () => {
  const one = await models(['--provider', 'openai']);
  expect(one.stdout).toMatch(/^openai\//m);
  expect(one.stdout).not.toMatch(/^anthropic\//m);
  writeFileSync(join(cwd, 'animus.toml'), CONFIG.replace(/\[models\.[^]*/, ''));
  const none = await models(['--provider', 'gateway']);
  expect(none).toMatchObject({ code: 0, stdout: expect.stringContaining('[models."gateway/MODEL"] of animus.toml') });
  expect(JSON.parse((await models(['--provider', 'gateway', '--json'])).stdout).models).toEqual([]);
});

test('an unknown provider is a usage error that names the nearest', async () => {
  const { code, stdout, stderr } = await models(['--provider', 'antropic']);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toBe('animus: --provider: no provider named antropic (did you mean anthropic?)\n');
});

test('a narrow terminal drops abilities before names and prices', async () => {
  const { stdout } = await models(['--provider', 'anthropic'], { terminal: 80, env: { NO_COLOR: '1' } });
  expect(stdout.split('\n').every((line) => line.length <= 80)).toBe(true);
  expect(stdout).toMatch(/^anthropic\/claude-sonnet-4-5 +200,000 +64,000 +3 +15/m);
});

function models(argv: readonly string[], options: RunOptions = {}) {
  return run(['models', ...argv], { cwd, env: { ANIMUS_HOME: join(cwd, 'home') }, ...options });
}

describe('animus models show', () => {
  test('says of each value where it comes from', async () => {
    writeFileSync(
      join(cwd, 'animus.toml'),
      `${CONFIG}
[models."gateway/*"]
images = false
[models."gateway/prod"]
like = "openai/gpt-5.1"
options = { seed = 1 }
[providers.box]
kind = "ollama"
`,
    );
    const show = async (name: string) => {
      const { code, stdout } = await models(['show', name, '--json']);
      expect(code).toBe(0);
      return JSON.parse(stdout) as { kind: string; values: Record<string, { value: unknown; from: string }> };
    };
    const at = (line: number) => `${join(cwd, 'animus.toml')}:${line}`;
    expect(await show('claude-sonnet-4-5')).toMatchObject({
      provider: 'anthropic',
      values: {
        context_window: { value: 12345, from: at(6) },
        max_output: { value: 64_000, from: 'catalogue: anthropic/claude-sonnet-4-5' },
        usd_per_million: { value: { cache_read: 0.3 } },
        headers: { from: 'default' },
        wire: { value: 'anthropic-messages', from: 'kind anthropic' },
      },
    });
    expect(await show('gateway/prod')).toMatchObject({
      values: {
        context_window: { value: 400_000, from: 'like openai/gpt-5.1' },
        images: { value: false, from: at(13) },
        options: { value: { seed: 1 }, from: at(16) },
      },
    });
    expect(await show('gateway/claude-opus-9')).toMatchObject({
      values: {
        thinking: { value: 'bound', from: 'family of anthropic/claude-opus-5-5' },
        usd_per_million: { value: null, from: 'none: a new model has its own prices' },
      },
    });
    expect(await show('box/anything')).toMatchObject({
      kind: 'ollama',
      values: {
        context_window: { value: 32_768, from: 'default of kind ollama' },
        thinking: { value: 'none', from: 'default' },
      },
    });
    expect((await models(['show', 'gateway/prod'])).stdout).toMatch(/^images +false +\S+animus\.toml:13$/m);
  });
});
