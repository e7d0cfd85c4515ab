import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../../../src/catalog/config/load-config.ts';
import { loadRunnableFaculties } from '../../../src/daemon/reload/load-faculties.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'runnable-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const SCRIPTED = '[providers.play]\nkind = "scripted"\nscript = "play.toml"\n';

test.each([
  [
    'model = "openai/gpt-5"\ntemperature = 0.2',
    'engage.temperature',
    7,
    'openai/gpt-5 accepts no temperature, got 0.2',
  ],
  ['model = "claude-sonnet-4-5"\nmax_tokens = 900000', 'engage.max_tokens', 7, 'expected at most 64000'],
  ['model = "openai/gpt-5"\nstop = ["END"]', 'engage.stop', 7, 'accepts no stop sequences, got ["END"]'],
  [
    'model = "claude-sonnet-4-5"\nfallback_models = ["openai/gpt-5"]\ntemperature = 0.2',
    'engage.temperature',
    8,
    'openai/gpt-5 accepts no temperature',
  ],
  [
    'model = "openai/gpt-5"\neffort = "xhigh"',
    'engage.effort',
    7,
    'one of minimal, low, medium, high (openai/gpt-5), got "xhigh"',
  ],
  [
    'model = "openai/gpt-4o"\nreasoning_effort = "low"',
    'engage.reasoning_effort',
    7,
    'openai/gpt-4o accepts no effort',
  ],
  ['model = "claude-opus-5"\nservice_tier = "flex"', 'engage.service_tier', 7, 'one of auto, standard'],
  ['model = "openai/gpt-4o"\ncache_ttl = "24h"', 'engage.cache_ttl', 7, 'openai/gpt-4o takes no cache lifetime'],
  [
    'model = "openai/gpt-5"\noutcome_schema = "any.json"',
    'engage.outcome_schema',
    7,
    '/properties/any allows any value',
  ],
])('a faculty is left out with what a model of its chain refuses: %j', async (engage, key, line, expected) => {
  const { faculties, problems } = await load({ picky: engage, sound: 'model = "claude-sonnet-4-5"' });
  expect([...faculties.keys()]).toEqual(['sound']);
  expect(problems).toMatchObject([{ code: 'config.invalid', file: fileOf('picky'), line, key: `faculty.${key}` }]);
  expect(problems[0]?.message).toContain(expected);
});

const BUDGETED = '[faculty.budget]\n';

test.each([
  [
    'model = "openai/my-own-model"',
    'max_usd = 5',
    'budget.max_usd',
    'openai/my-own-model has no price, so a limit in USD cannot be enforced',
  ],
  [
    'model = "claude-sonnet-4-5"\nfallback_models = ["openai/mine"]',
    'max_usd_per_day = 5',
    'budget.max_usd_per_day',
    'openai/mine has no price',
  ],
  [
    'model = "claude-sonnet-4-5"\nmax_tokens = 10000',
    'max_usd = 0.1',
    'budget.max_usd',
    '0.1 USD is less than one answer may cost: 10000 tokens of anthropic/claude-sonnet-4-5 cost up to 0.15 USD',
  ],
  [
    'model = "claude-sonnet-4-5"\nmax_tokens = 10000',
    'max_tokens_per_root = 9999',
    'budget.max_tokens_per_root',
    '9999 tokens is less than one answer may have: max_tokens is 10000',
  ],
])('a faculty is left out whose budget cannot work: %j, %s', async (engage, budget, key, expected) => {
  const { faculties, problems } = await load({
    poor: `${engage}\n${BUDGETED}${budget}`,
    sound: 'model = "claude-sonnet-4-5"',
  });
  expect([...faculties.keys()]).toEqual(['sound']);
  expect(problems).toMatchObject([{ code: 'config.conflict', file: fileOf('poor'), key: `faculty.${key}` }]);
  expect(problems[0]?.line).toBeGreaterThan(7);
  expect(problems[0]?.message).toContain(expected);
});

test('a faculty is left out whose model has no price for the budget of animus.toml', async () => {
  const { faculties, problems } = await load(
    { free: 'model = "openai/mine"', sound: 'model = "claude-sonnet-4-5"' },
    '[budget]\nmax_usd_per_month = 100\n',
  );
  expect([...faculties.keys()]).toEqual(['sound']);
  expect(problems[0]?.message).toMatch(
    /free\.toml:6: faculty\.engage\.model: .*has no price.*\(\[budget\] max_usd_per_month, .*animus\.toml:2\)/,
  );
});

test('a schema that is not sent to a provider need not follow its rules', async () => {
  const own = 'outcome_schema = "any.json"';
  const { problems } = await load(
    {
      off: `model = "openai/gpt-5"\n${own}\nstructured_outputs = false`,
      local: `model = "play/x"\n${own}`,
      elsewhere: `model = "openai/my-own-model"\n${own}`,
    },
    SCRIPTED,
  );
  expect(problems).toEqual([]);
});

test('each model of the chain reports its own problems, and a refused default has no line', async () => {
  const config = '[models."anthropic/tiny"]\nmax_output = 100\n[models."openai/small"]\nmax_output = 200\n';
  const { problems } = await load({ picky: 'model = "tiny"\nfallback_models = ["openai/small"]' }, config);
  expect(problems.map(({ line, message }) => [line, message.replace(/^.*expected /, '')])).toEqual([
    [null, 'at most 100 (anthropic/tiny), got 8192'],
    [null, 'at most 200 (openai/small), got 8192'],
  ]);
});

test('a model that is like one that does not exist is a problem of animus.toml', async () => {
  const config = '[models."openai/prod"]\nlike = "openai/gpt-5.11"\n';
  const { faculties, problems } = await load({ picky: 'model = "openai/prod"' }, config);
  expect([...faculties.keys()]).toEqual([]);
  expect(problems).toMatchObject([{ line: 2, key: 'models."openai/prod".like' }]);
  expect(problems[0]?.message).toContain('did you mean openai/gpt-5.1?');
});

test('a script refuses nothing, and is not even read', async () => {
  const { faculties, problems } = await load({ free: 'model = "play/x"\nmax_tokens = 900000' }, SCRIPTED);
  expect(problems).toEqual([]);
  expect(faculties.get('free')?.engage.fallbackModels).toEqual([]);
});

test('turns in batches need a provider that has a batch API', async () => {
  const { faculties, problems } = await load(
    { slow: 'model = "play/x"\nbatch = true', sound: 'model = "claude-sonnet-4-5"\nbatch = true' },
    SCRIPTED,
  );
  expect([...faculties.keys()]).toEqual(['sound']);
  expect(problems).toMatchObject([{ code: 'config.invalid', line: 7, key: 'faculty.engage.batch' }]);
  expect(problems[0]?.message).toContain('expected false: the provider of play/x has no batch API, got true');
});

test('options are checked after they are adapted', async () => {
  const adapted = await load({ picky: 'model = "openai/gpt-5"\ntemperature = 0.2' }, SCRIPTED, 'play/x');
  expect(adapted.problems).toEqual([]);
  expect(adapted.faculties.get('picky')?.engage.model).toBe('play/x');
});

async function load(engage: Record<string, string>, toml = '', model?: string) {
  mkdirSync(join(directory, 'faculties'));
  writeFileSync(join(directory, 'animus.toml'), toml);
  writeFileSync(join(directory, 'faculties', 'any.json'), '{"type": "object", "properties": {"any": {}}}');
  for (const [name, text] of Object.entries(engage)) {
    const faculty = `[faculty]\nname = "${name}"\n\n[faculty.engage]\nsystem_prompt = "p"\n${text}\n`;
    writeFileSync(fileOf(name), faculty);
  }
  const config = loadConfig({ env: { HOME: directory }, cwd: directory });
  return loadRunnableFaculties(join(directory, 'faculties'), config, (faculty) =>
    model === undefined ? faculty : { ...faculty, engage: { ...faculty.engage, model } },
  );
}

function fileOf(name: string): string {
  return join(directory, 'faculties', `${name}.toml`);
}
