import { describe, expect, test } from 'vitest';
import type { Effort } from '../../src/core/config/providers/model-words.ts';
import { anthropicBody } from '../../src/llm/anthropic/request.ts';
import { anthropicWire } from '../../src/llm/anthropic/wire.ts';
import type { LlmRequest } from '../../src/llm/client.ts';
import { modelInfo } from '../../src/llm/models/models.ts';
import { openaiBody } from '../../src/llm/openai/request.ts';
import { requestOf } from './llm-call.ts';

type Json = Record<string, unknown>;

function anthropic(model: string, over: Partial<LlmRequest>): Json {
  const request = requestOf({ model, maxTokens: 10_000, ...over });
  return anthropicBody(request, true, { provider: 'anthropic', model: modelInfo('anthropic', model) });
}

function openai(model: string, over: Partial<LlmRequest>, provider = 'openai'): Json {
  const request = requestOf({ model, ...over });
  const info = modelInfo(provider, model);
  return openaiBody(request, true, { provider, model: info, isOpenAi: true, callIds: /./, userAfterTools: true });
}

describe('an effort is asked of Anthropic', () => {
  test.each<[string, Effort, Json]>([
    ['claude-opus-5', 'xhigh', { output_config: { effort: 'xhigh' }, thinking: { type: 'adaptive' } }],
    ['claude-opus-5', 'none', { thinking: { type: 'disabled' } }],
    ['claude-fable-5-1', 'max', { output_config: { effort: 'max' } }],
    // Up to 4.6 they think within a budget, which is a share of max_tokens.
    [
      'claude-opus-4-6',
      'high',
      { output_config: { effort: 'high' }, thinking: { type: 'enabled', budget_tokens: 8000 } },
    ],
    ['claude-sonnet-4-5', 'medium', { thinking: { type: 'enabled', budget_tokens: 5000 } }],
    ['claude-sonnet-4-5', 'minimal', { thinking: { type: 'enabled', budget_tokens: 1024 } }],
    ['claude-of-2027', 'low', { output_config: { effort: 'low' } }],
  ])('of %s: %s', (model, effort, expected) => {
    const { thinking, output_config } = anthropic(model, { effort });
    expect({ thinking, output_config }).toMatchObject(expected);
    expect(output_config).toEqual(expected['output_config']);
  });

  test('and none asks a model that thinks within a budget for nothing', () => {
    expect(anthropic('claude-sonnet-4-5', { effort: 'none' })).toEqual(anthropic('claude-sonnet-4-5', {}));
    expect(anthropic('claude-sonnet-4-5', { effort: 'high', maxTokens: 1024 })).not.toHaveProperty('thinking');
  });

  test('with the header that lets a model with a budget think between tool calls', () => {
    const infoOf = (model: string) => modelInfo('anthropic', model);
    const headers = (model: string, over: Partial<LlmRequest>) =>
      anthropicWire({ provider: 'anthropic', infoOf, host: 'x' }).headers(
        'k',
        requestOf({ model, maxTokens: 4096, ...over }),
      );
    const tools = [{ name: 'look', description: '', inputSchema: { type: 'object' } }];
    expect(headers('claude-sonnet-4-5', { effort: 'low', tools })).toHaveProperty('anthropic-beta');
    expect(headers('claude-sonnet-4-5', { effort: 'none', tools })).not.toHaveProperty('anthropic-beta');
    expect(headers('claude-opus-5', { effort: 'low', tools })).not.toHaveProperty('anthropic-beta');
  });
});

test('an effort is asked of OpenAI and compatible servers by the same word', () => {
  expect(openai('gpt-5.2', { effort: 'xhigh' })).toMatchObject({ reasoning_effort: 'xhigh' });
  expect(openai('gpt-5.1', { effort: 'none' })).toMatchObject({ reasoning_effort: 'none' });
  expect(openai('qwen9', { effort: 'max' }, 'local')).toMatchObject({ reasoning_effort: 'max' });
});

test('service tiers and cache lifetimes are asked for in each vendor’s words', () => {
  expect(openai('gpt-5', { serviceTier: 'flex', cacheTtl: '24h' })).toMatchObject({
    service_tier: 'flex',
    prompt_cache_retention: '24h',
  });
  expect(openai('gpt-5', { serviceTier: 'standard' })).toMatchObject({ service_tier: 'default' });
  expect(openai('gpt-5', {})).not.toHaveProperty('service_tier');
  expect(anthropic('claude-opus-5', { serviceTier: 'standard' })).toMatchObject({ service_tier: 'standard_only' });
  expect(JSON.stringify(anthropic('claude-opus-5', { cacheTtl: '1h' }))).toContain('"ttl":"1h"');
  expect(JSON.stringify(anthropic('claude-opus-5', { cacheTtl: '5m' }))).not.toContain('"ttl"');
});
