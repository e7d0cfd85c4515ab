import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { WireChoice } from '../../src/core/config/config.ts';
import { CACHE_TTLS, EFFORTS, SERVICE_TIERS, STRUCTURED_OUTPUTS } from '../../src/core/config/model-words.ts';
import { locateModel } from '../../src/llm/locate-model.ts';
import type { ModelOptions } from '../../src/llm/model-options.ts';
import { refusedOptions } from '../../src/llm/model-options.ts';
import { costUsd, maxCostUsd } from '../../src/llm/models/cost.ts';
import { builtInCatalogue, type ModelOverride, modelInfo, modelSources } from '../../src/llm/models/models.ts';
import { wireOf } from '../../src/llm/wires.ts';

test('models.json holds only what the code reads, with a date and sources', () => {
  const price = z.number().min(0).max(1000);
  const prices = z.strictObject({ input: price, output: price, cacheRead: price, cacheWrite: price });
  const model = z.strictObject({
    contextWindow: z.int().min(1000),
    maxOutput: z.int().min(1000),
    prices,
    longPrompt: z.strictObject({ aboveTokens: z.int().min(1000), prices }).optional(),
    thinking: z.enum(['budget', 'adaptive', 'bound', 'always']).optional(),
    effort: z.literal(true).optional(),
    efforts: z.array(z.enum(EFFORTS)).min(1).optional(),
    serviceTiers: z.array(z.enum(SERVICE_TIERS)).optional(),
    cacheTtls: z.array(z.enum(CACHE_TTLS)).optional(),
    effortWithTools: z.literal(false).optional(),
    parallelTools: z.literal(false).optional(),
    userAfterTools: z.literal(false).optional(),
    temperature: z.literal(false).optional(),
    images: z.literal(true).optional(),
    wire: z.enum(['chat', 'responses']).optional(),
  });
  const held = { structuredOutputs: z.enum(STRUCTURED_OUTPUTS), strictTools: z.boolean() };
  const source = z.strictObject({ vendors: z.array(z.string()).min(1), url: z.url(), seen: z.string() });
  const file = z.strictObject({
    checked: z.iso.date(),
    unit: z.literal('USD per million tokens'),
    sources: z.array(source).min(1),
    families: z.record(z.string(), z.string()),
    defaults: z.record(z.string(), model.pick({ efforts: true, serviceTiers: true, cacheTtls: true }).extend(held)),
    vendors: z.record(z.string(), z.record(z.string(), model)),
  });
  const read = file.parse(
    JSON.parse(readFileSync(new URL('../../src/llm/models/models.json', import.meta.url), 'utf8')),
  );
  for (const entry of Object.values(read.families)) {
    expect(modelInfo(entry.slice(0, entry.indexOf('/')), entry.slice(entry.indexOf('/') + 1)).prices).not.toBeNull();
  }
  const sourced = new Set(read.sources.flatMap(({ vendors }) => vendors));
  expect(Object.keys(read.vendors).filter((vendor) => !sourced.has(vendor))).toEqual([]);
  expect(builtInCatalogue().entries).toHaveLength(
    Object.values(read.vendors).flatMap((each) => Object.keys(each)).length,
  );
});

/** What belongs to the vendor's own API. */
const ELSEWHERE = {
  prices: null,
  longPrompt: null,
  wire: null,
  structuredOutputs: 'none',
  strictTools: false,
  serviceTiers: [],
  cacheTtls: [],
};

describe('what is known of a model', () => {
  test('dated and -latest names are their undated model', () => {
    const plain = modelInfo('anthropic', 'claude-sonnet-4-5');
    expect(plain).toMatchObject({ contextWindow: 200_000, known: true, prices: { input: 3, output: 15 } });
    expect(modelInfo('anthropic', 'claude-sonnet-4-5-20250929')).toEqual(plain);
    expect(modelInfo('openai', 'gpt-4o-2024-08-06')).toEqual(modelInfo('openai', 'gpt-4o'));
    expect(modelInfo('mistral', 'mistral-large-latest').known).toBe(true);
  });

  test('through a gateway it keeps its window and loses its price', () => {
    for (const name of ['claude-sonnet-4-5', 'anthropic/claude-sonnet-4.5']) {
      expect(modelInfo('gateway', name)).toMatchObject({ contextWindow: 200_000, prices: null, known: true });
    }
  });

  test.each([
    ['bedrock', 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5'],
    ['bedrock', 'anthropic.claude-haiku-4-5-20251001-v1:0:200k', 'claude-haiku-4-5'],
    ['vertex', 'claude-opus-4-5@20251101', 'claude-opus-4-5'],
    ['vertex', 'claude-opus-4-6@default', 'claude-opus-4-6'],
    ['gateway', 'bedrock/us.anthropic.claude-opus-4-6-v1', 'claude-opus-4-6'],
  ])('the clouds decorate names: %s/%s', (provider, name, plain) => {
    expect(modelInfo(provider, name)).toEqual({
      ...modelInfo('anthropic', plain),
      ...ELSEWHERE,
    });
  });

  test('a new name gets the abilities of its family, no price, and says so', () => {
    const { prices: _, longPrompt: __, ...abilities } = modelInfo('anthropic', 'claude-opus-5-5');
    expect(modelInfo('anthropic', 'claude-opus-7')).toEqual({ ...abilities, prices: null, longPrompt: null });
    expect(modelInfo('bedrock', 'us.anthropic.claude-opus-7-v1:0')).toMatchObject({ thinking: 'bound', prices: null });
    expect(modelSources('anthropic', 'claude-opus-7').catalogue).toMatchObject({
      by: 'family',
      entry: 'anthropic/claude-opus-5-5',
    });
    // The longest start wins: an older line keeps its own way to think.
    expect(modelInfo('anthropic', 'claude-opus-4-9').thinking).toBe('adaptive');
    expect(modelInfo('local', 'qwen3-8b').known).toBe(false);
  });

  test('the configuration describes families, the longest start last, and names of one’s own by a model they are like', () => {
    const overrides: Record<string, ModelOverride> = {
      'local/*': { contextWindow: 8192, parallelTools: false },
      'local/qwen*': { contextWindow: 16_384 },
      'local/qwen3': { images: true },
      'azure/prod': { like: 'openai/gpt-5.1', contextWindow: 100_000 },
    };
    expect(modelInfo('local', 'qwen3', overrides)).toMatchObject({
      contextWindow: 16_384,
      parallelTools: false,
      images: true,
    });
    expect(modelInfo('local', 'other', overrides)).toMatchObject({ contextWindow: 8192, images: false, known: true });
    expect(modelInfo('azure', 'prod', overrides)).toMatchObject({
      ...modelInfo('openai', 'gpt-5.1'),
      ...ELSEWHERE,
      prices: modelInfo('openai', 'gpt-5.1').prices,
      contextWindow: 100_000,
    });
  });

  test('unknown models have a default window and no price', () => {
    expect(modelInfo('local', 'qwen9')).toMatchObject({
      contextWindow: 128_000,
      prices: null,
      maxOutput: null,
      known: false,
    });
  });

  test('the configuration goes over the catalogue, key by key', () => {
    const overrides: Record<string, ModelOverride> = {
      'local/qwen9': { contextWindow: 32_768, prices: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } },
      'anthropic/claude-sonnet-4-5': { contextWindow: 1_000_000 },
    };
    expect(modelInfo('local', 'qwen9', overrides)).toMatchObject({
      contextWindow: 32_768,
      known: true,
      maxOutput: null,
    });
    expect(modelInfo('anthropic', 'claude-sonnet-4-5', overrides)).toMatchObject({
      contextWindow: 1_000_000,
      maxOutput: 64_000,
    });
  });
});

const inputOf = (input: number) => ({ input, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 });

describe('costs', () => {
  const sonnet = modelInfo('anthropic', 'claude-sonnet-4-5');

  test('each kind of token at its price, none twice', () => {
    const usage = { input: 1_000_000, output: 100_000, cacheRead: 600_000, cacheWrite: 100_000, reasoning: 50_000 };
    expect(costUsd(sonnet, usage)).toBeCloseTo(0.3 * 3 + 0.6 * 0.3 + 0.1 * 3.75 + 0.1 * 15, 10);
  });

  test('a long prompt changes the price of the whole call', () => {
    const haiku = modelInfo('anthropic', 'claude-haiku-5-5');
    expect(costUsd(haiku, inputOf(100_000))).toBeCloseTo(0.01, 10);
    expect(costUsd(haiku, inputOf(100_001))).toBeCloseTo(0.0500005, 10);
  });

  test('without a price is null', () => {
    const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
    expect(costUsd(modelInfo('local', 'x'), usage)).toBeNull();
    expect(maxCostUsd(modelInfo('local', 'x'), 1, 1)).toBeNull();
  });

  test('a service tier and a cache that lives for an hour change it', () => {
    const usage = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 1_000_000, reasoning: 0 };
    expect(costUsd(sonnet, usage, { cacheTtl: '1h' })).toBeCloseTo(6, 10);
    expect(costUsd(sonnet, usage, { cacheTtl: '5m', serviceTier: 'standard' })).toBeCloseTo(3.75, 10);
    const plain = { ...usage, cacheWrite: 0 };
    const gpt5 = modelInfo('openai', 'gpt-5');
    expect(costUsd(gpt5, plain, { serviceTier: 'flex' })).toBeCloseTo(0.625, 10);
    expect(costUsd(gpt5, plain, { serviceTier: 'priority' })).toBeCloseTo(3.125, 10);
  });

  test('a reservation covers the dearest way a call can go', () => {
    expect(maxCostUsd(sonnet, 1_000_000, 1_000_000)).toBeCloseTo(3.75 + 15, 10);
    expect(maxCostUsd(sonnet, 1_000_000, 1_000_000, { cacheTtl: '1h' })).toBeCloseTo(6 + 15, 10);
  });
});

test("OpenAI's reasoning models speak Responses at OpenAI; elsewhere, and other models, Chat Completions", () => {
  const wire = (provider: string, model: string) => modelInfo(provider, model).wire;
  expect(wire('openai', 'gpt-5.5')).toBe('responses');
  expect(wire('openai', 'gpt-5.4-mini-2026-03-17')).toBe('responses');
  expect(wire('openai', 'gpt-4.1')).toBeNull();
  expect(wire('gateway', 'openai/gpt-5.5')).toBeNull();
  const reasons = builtInCatalogue().entries.filter(
    ({ vendor, info }) => vendor === 'openai' && info.thinking === 'always',
  );
  expect(reasons.map(({ info }) => info.wire).filter((each) => each !== 'responses')).toEqual([]);
});

describe('the wire of a model is set', () => {
  const names = (model: WireChoice | null, provider: WireChoice | null, kind: 'openai' | 'anthropic' = 'openai') => ({
    providers: { p: { kind, ...(provider !== null && { wire: provider }) } },
    defaultProvider: 'p',
    models: { 'p/m': { ...(model !== null && { wire: model }) } },
  });

  test('by its own entry, then by that of its provider, then by its kind', () => {
    const wire = (...from: Parameters<typeof names>) => locateModel('m', names(...from)).info.wire;
    expect(wire('chat', null)).toBe('chat');
    expect(wire(null, 'chat')).toBe('chat');
    expect(wire(null, null)).toBeNull();
    expect(wire('chat', 'responses')).toBe('chat');
    expect(wire('responses', 'chat')).toBe('responses');
    expect(wireOf('openai', 'responses')).toBe('openai-responses');
    expect(wireOf('openai', null)).toBe('openai-chat');
    expect(wireOf('anthropic', null)).toBe('anthropic-messages');
  });
});

const problems = (
  name: string,
  options: Partial<ModelOptions>,
  kind: 'anthropic' | 'openai' | 'scripted' = 'anthropic',
  wire: WireChoice | null = null,
) => {
  const provider = kind;
  const client = { complete: () => Promise.reject(new Error('not called')) };
  const info = modelInfo(provider, name);
  const model = { provider, model: name, kind, client, info: { ...info, wire: wire ?? info.wire } };
  return refusedOptions(model, { maxTokens: 8192, ...options }).map(({ key, expected }) => `${key}: ${expected}`);
};

describe('what a provider would refuse is refused at load', () => {
  test.each<[string, Partial<ModelOptions>, 'anthropic' | 'openai', string]>([
    [
      'claude-sonnet-4-5',
      { maxTokens: 64_001 },
      'anthropic',
      'max_tokens: at most 64000 (anthropic/claude-sonnet-4-5)',
    ],
    [
      'claude-sonnet-4-5',
      { thinkingBudgetTokens: 8192 },
      'anthropic',
      'thinking_budget_tokens: less than max_tokens (8192)',
    ],
    ['claude-sonnet-4-5', { thinkingBudgetTokens: 100 }, 'anthropic', 'thinking_budget_tokens: at least 1024'],
    [
      'claude-sonnet-4-5',
      { thinkingBudgetTokens: 2000, temperature: 0.2 },
      'anthropic',
      'temperature: none together with thinking_budget_tokens',
    ],
    ['claude-sonnet-4-5', { temperature: 1.5 }, 'anthropic', 'temperature: 0 to 1 (anthropic/claude-sonnet-4-5)'],
    [
      'claude-sonnet-4-5',
      { effort: 'low', maxTokens: 1024 },
      'anthropic',
      'effort: none with max_tokens of 1024 or less: anthropic/claude-sonnet-4-5 thinks within max_tokens',
    ],
    [
      'claude-opus-5',
      { thinkingBudgetTokens: 2000 },
      'anthropic',
      'thinking_budget_tokens: none: anthropic/claude-opus-5 accepts no thinking budget; use effort',
    ],
    [
      'claude-opus-5',
      { temperature: 1 },
      'anthropic',
      'temperature: none: anthropic/claude-opus-5 accepts no temperature',
    ],
    ['gpt-5', { temperature: 1 }, 'openai', 'temperature: none: openai/gpt-5 accepts no temperature'],
    ['gpt-5', { stop: ['x'] }, 'openai', 'stop: none: openai/gpt-5 accepts no stop sequences'],
    ['gpt-4o', { stop: ['1', '2', '3', '4', '5'] }, 'openai', 'stop: at most 4'],
    [
      'gpt-4o',
      { thinkingBudgetTokens: 2000 },
      'openai',
      'thinking_budget_tokens: none: openai/gpt-4o accepts no thinking budget',
    ],
    ['gpt-4o', { stop: [' '] }, 'openai', 'stop: sequences that are not blank'],
    ['gpt-5', { effort: 'xhigh' }, 'openai', 'effort: one of minimal, low, medium, high (openai/gpt-5)'],
    ['gpt-4o', { effort: 'low' }, 'openai', 'effort: none: openai/gpt-4o accepts no effort'],
    [
      'claude-opus-4-6',
      { effort: 'xhigh' },
      'anthropic',
      'effort: one of none, minimal, low, medium, high, max (anthropic/claude-opus-4-6)',
    ],
    [
      'claude-opus-5-5',
      { effort: 'none' },
      'anthropic',
      'effort: one of minimal, low, medium, high, xhigh, max (anthropic/claude-opus-5-5)',
    ],
    [
      'claude-opus-5',
      { serviceTier: 'flex' },
      'anthropic',
      'service_tier: one of auto, standard (anthropic/claude-opus-5)',
    ],
    [
      'claude-2027',
      { serviceTier: 'priority' },
      'anthropic',
      'service_tier: one of auto, standard (anthropic/claude-2027)',
    ],
    ['gpt-4.1', { serviceTier: 'flex' }, 'openai', 'service_tier: one of auto, standard, priority (openai/gpt-4.1)'],
    ['claude-opus-5', { cacheTtl: '24h' }, 'anthropic', 'cache_ttl: one of 5m, 1h (anthropic/claude-opus-5)'],
    ['gpt-4o', { cacheTtl: '24h' }, 'openai', 'cache_ttl: none: openai/gpt-4o takes no cache lifetime'],
    [
      'claude-opus-5',
      { outputSchema: { name: 'outcome', schema: { type: 'object', properties: { tree: { $ref: '#' } } } } },
      'anthropic',
      'outcome_schema: a schema that anthropic/claude-opus-5 can hold an answer to, or structured_outputs = false (the schema refers to itself)',
    ],
    [
      'gpt-5',
      { outputSchema: { name: 'outcome', schema: { type: 'object', properties: { any: {} } } } },
      'openai',
      'outcome_schema: a schema that openai/gpt-5 can hold an answer to, or structured_outputs = false (/properties/any allows any value; it needs a type)',
    ],
  ])('%s %j', (name, options, kind, problem) => {
    expect(problems(name, options, kind)).toEqual([problem]);
  });

  test('an effort with tools is fine on Responses, and refused on Chat Completions where the model does', () => {
    const high = { effort: 'high' } as const;
    expect(problems('gpt-5.5', high, 'openai')).toEqual([]);
    expect(problems('gpt-5.5', high, 'openai', 'chat')).toEqual([
      'effort: none: openai/gpt-5.5 accepts no effort together with tools on Chat Completions; use wire = "responses"',
    ]);
    expect(problems('gpt-5', high, 'openai', 'chat')).toEqual([]);
  });

  test('Responses has no stop sequences, whatever the model', () => {
    expect(problems('gpt-4o', { stop: ['x'] }, 'openai', 'responses')).toEqual([
      'stop: none: openai/gpt-4o accepts no stop sequences',
    ]);
  });

  test('what is fine is fine, and of unknown models nothing is assumed', () => {
    expect(problems('claude-sonnet-4-5', { thinkingBudgetTokens: 2000, temperature: 1 })).toEqual([]);
    expect(problems('gpt-5', { effort: 'low' }, 'openai')).toEqual([]);
    expect(problems('something-new', { temperature: 1.9, effort: 'low', stop: ['x'] }, 'openai')).toEqual([]);
    expect(problems('any', { temperature: 99 }, 'scripted')).toEqual([]);
    const outputSchema = { name: 'outcome', schema: { type: 'object' } };
    expect(problems('something-new', { effort: 'max', serviceTier: 'flex', outputSchema }, 'openai')).toEqual([]);
    expect(problems('claude-sonnet-4-5', { effort: 'high', cacheTtl: '1h', serviceTier: 'auto' })).toEqual([]);
  });
});
