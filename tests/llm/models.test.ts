import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CACHE_TTLS, EFFORTS, SERVICE_TIERS, STRUCTURED_OUTPUTS } from '../../src/core/config/providers/model-words.ts';
import type { WireChoice } from '../../src/core/config/providers/provider.ts';
import { locateModel } from '../../src/llm/locate-model.ts';
import { openCatalogue } from '../../src/llm/models/catalogue.ts';
import { costUsd, maxCostUsd } from '../../src/llm/models/cost.ts';
import type { ModelOverride } from '../../src/llm/models/model-info.ts';
import { modelInfo, modelSources } from '../../src/llm/models/models.ts';
import { wireOf } from '../../src/llm/wires.ts';

test('models.json holds only what the code reads, and a price only where the table has none', () => {
  const price = z.number().min(0).max(1000);
  const prices = z.strictObject({ input: price, output: price, cacheRead: price, cacheWrite: price });
  const model = z.strictObject({
    contextWindow: z.int().min(1000),
    maxOutput: z.int().min(1000).optional(),
    prices: prices.optional(),
    longPrompt: z.strictObject({ aboveTokens: z.int().min(1000), prices }).optional(),
    priceSource: z.string().optional(),
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
    structuredOutputs: z.literal('none').optional(),
    strictTools: z.literal(false).optional(),
  });
  const embedding = z.strictObject({
    dimensions: z.int().min(1),
    maxInputTokens: z.int().min(100),
    shortens: z.literal(true).optional(),
  });
  const held = { structuredOutputs: z.enum(STRUCTURED_OUTPUTS), strictTools: z.boolean() };
  const source = z.strictObject({ vendors: z.array(z.string()).min(1), url: z.url(), seen: z.string() });
  const file = z.strictObject({
    about: z.string(),
    sources: z.array(source).min(1),
    families: z.record(z.string(), z.string()),
    defaults: z.record(z.string(), model.pick({ efforts: true, serviceTiers: true, cacheTtls: true }).extend(held)),
    vendors: z.record(z.string(), z.record(z.string(), model)),
    embeddings: z.record(z.string(), z.record(z.string(), embedding)),
  });
  const read = file.parse(
    JSON.parse(readFileSync(new URL('../../src/llm/models/models.json', import.meta.url), 'utf8')),
  );
  const { entries, byVendor, prices: table } = openCatalogue();
  expect(
    Object.values(read.families).filter((entry) => byVendor.get(entry)?.model !== entry.slice(entry.indexOf('/') + 1)),
  ).toEqual([]);
  // A model of models.json has exactly one price: that of the table, or its own with its source.
  for (const [vendor, models] of Object.entries(read.vendors)) {
    for (const [name, { prices: own, priceSource }] of Object.entries(models)) {
      const inTable = table.file.vendors[vendor]?.[name] !== undefined;
      expect([`${vendor}/${name}`, own === undefined, priceSource === undefined]).toEqual([
        `${vendor}/${name}`,
        inTable,
        inTable,
      ]);
    }
  }
  expect(entries.filter(({ priceSource }) => priceSource === '').map(({ model: name }) => name)).toEqual([]);
});

/** What belongs to the vendor's own API. */
const ELSEWHERE = {
  prices: null,
  longPrompt: null,
  priceChanges: [],
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
  const reasons = openCatalogue().entries.filter(
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
