import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { usageOf } from '../../../src/llm/anthropic/usage.ts';
import type { Usage } from '../../../src/llm/client.ts';
import { openaiUsage } from '../../../src/llm/openai/usage.ts';

const value = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(1e19, -1, '7', '1e400', Infinity, null, true, ' 12 ', '99999999999999999999'),
  fc.string(),
  fc.array(fc.anything({ maxDepth: 1 })),
);
const fields = (...names: string[]) => fc.record(Object.fromEntries(names.map((name) => [name, value])));

function expectRecordable(usage: Usage | null): void {
  if (usage === null) return;
  const { reported, ...counts } = usage;
  for (const count of Object.values(counts)) {
    expect(Number.isInteger(count)).toBe(true);
    expect(count).toBeGreaterThanOrEqual(0);
    expect(count).toBeLessThanOrEqual(100_000_000);
  }
  expect(counts.cacheRead + counts.cacheWrite).toBeLessThanOrEqual(counts.input);
  expect(counts.reasoning).toBeLessThanOrEqual(counts.output);
  for (const text of Object.values(reported ?? {})) expect(text.length).toBeLessThanOrEqual(100);
}

test('whatever a provider writes, the counts are whole, bounded and within each other', () => {
  const prompt = fields('cached_tokens', 'cache_write_tokens');
  const openai = fc
    .tuple(fields('prompt_tokens', 'completion_tokens', 'total_tokens'), prompt, fields('reasoning_tokens'))
    .map(([own, prompt_tokens_details, completion_tokens_details]) => ({
      ...own,
      prompt_tokens_details,
      completion_tokens_details,
    }));
  fc.assert(fc.property(openai, (report) => expectRecordable(openaiUsage(report))));
  const names = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];
  fc.assert(fc.property(fields(...names, 'thinking_tokens'), (report) => expectRecordable(usageOf(report, true))));
});

test('usual counts are taken as they are, without a copy of the report', () => {
  expect(openaiUsage({ prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 })).toEqual({
    input: 3,
    output: 2,
    cacheRead: 0,
    cacheWrite: 0,
    reasoning: 0,
  });
});
