import { describe, expect, test } from 'vitest';
import type { WireChoice } from '../../src/core/config/providers/provider.ts';
import { type ModelOptions, refusedOptions } from '../../src/llm/model-options.ts';
import { modelInfo } from '../../src/llm/models/models.ts';

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
