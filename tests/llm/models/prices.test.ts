import { describe, expect, test } from 'vitest';
import { costUsd, maxCostUsd } from '../../../src/llm/models/cost.ts';
import { modelInfo } from '../../../src/llm/models/models.ts';
import { type PricePlan, ratesAt } from '../../../src/llm/models/prices.ts';

const priced = (input: number) => ({
  prices: { input, output: input, cacheRead: input, cacheWrite: input },
  longPrompt: null,
});
const at = (time: string) => new Date(`2026-11-24T${time}Z`);
const million = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

describe('prices that change with time', () => {
  const plan: PricePlan = {
    ...priced(1),
    priceChanges: [
      { daily: ['01:00', '04:00'], ...priced(2) },
      { daily: ['22:00', '00:30'], ...priced(3) },
      { from: '2026-12-01', ...priced(5) },
    ],
  };

  test.each([
    ['00:29:59.999', 3],
    ['00:30:00.000', 1],
    ['00:59:59.999', 1],
    ['01:00:00.000', 2],
    ['03:59:59.999', 2],
    ['04:00:00.000', 1],
    ['21:59:59.999', 1],
    ['22:00:00.000', 3],
  ])('hours are from the first on and before the second, over midnight too: %s', (time, price) => {
    expect(costUsd(plan, million, {}, at(time))).toBe(price);
  });

  test('a day begins at midnight of UTC, and the last change that applies counts', () => {
    expect(ratesAt(plan, new Date('2026-11-30T23:59:59.999Z')).prices?.input).toBe(3);
    expect(ratesAt(plan, new Date('2026-12-01T00:00:00Z')).prices?.input).toBe(5);
    expect(ratesAt(plan, new Date('2026-12-01T02:00:00Z')).prices?.input).toBe(5);
  });

  test('a reservation covers the dearest price of the next day', () => {
    const info = { ...modelInfo('local', 'x'), ...plan };
    expect(maxCostUsd(info, 1_000_000, 0, {}, at('12:00:00'))).toBe(3);
    expect(maxCostUsd(info, 1_000_000, 0, {}, new Date('2026-11-30T12:00:00Z'))).toBe(5);
  });
});

test('DeepSeek costs twice as much in its peak hours, and more since August 2026', () => {
  const pro = modelInfo('deepseek', 'deepseek-v4-pro');
  expect(costUsd(pro, million, {}, at('00:59:59'))).toBeCloseTo(0.66, 10);
  expect(costUsd(pro, million, {}, at('01:00:00'))).toBeCloseTo(1.32, 10);
  expect(costUsd(pro, million, {}, at('05:00:00'))).toBeCloseTo(0.66, 10);
  expect(costUsd(pro, million, {}, at('06:00:00'))).toBeCloseTo(1.32, 10);
  expect(costUsd(pro, million, {}, at('10:00:00'))).toBeCloseTo(0.66, 10);
});

test('a price of one’s own holds at all times', () => {
  const own = { 'deepseek/deepseek-v4-pro': { prices: priced(7).prices } };
  expect(costUsd(modelInfo('deepseek', 'deepseek-v4-pro', own), million, {}, at('01:00:00'))).toBe(7);
});

test.each([
  ['openai', 'gpt-5.3', 128_000, 'none'],
  ['openai', 'gpt-5.3-codex', 400_000, 'always'],
  ['xai', 'grok-4.6', 500_000, 'none'],
  ['anthropic', 'claude-opus-4-1-20250805', 200_000, 'budget'],
  ['anthropic', 'claude-3-7-sonnet-20250219', 200_000, 'budget'],
  ['anthropic', 'claude-3-5-haiku-latest', 200_000, 'none'],
  ['google', 'gemini-3.8-flash', 1_000_000, 'none'],
  ['moonshot', 'kimi-k3', 1_048_576, 'none'],
])('%s/%s has a price and a window of its own', (provider, model, contextWindow, thinking) => {
  const info = modelInfo(provider, model);
  expect([info.contextWindow, info.thinking, info.prices === null]).toEqual([contextWindow, thinking, false]);
});

test.each(['claude-sonnet-6', 'claude-opus-4-9'])('%s, which is not in the table, has no price', (model) => {
  expect(modelInfo('anthropic', model).prices).toBeNull();
});
