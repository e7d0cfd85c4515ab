import type { Usage } from '../client.ts';
import { asObject } from '../wire/loose-json.ts';
import { tokenCounts } from '../wire/token-counts.ts';

/** Token counts of a Responses usage object; null if it has none. Cached tokens and reasoning are parts of the two sums. */
export function responsesUsage(value: unknown): Usage | null {
  const usage = asObject(value);
  if (!usage) return null;
  const counts = tokenCounts();
  const input = counts.read('input_tokens', usage['input_tokens']);
  const output = counts.read('output_tokens', usage['output_tokens']);
  if (input === null && output === null) return null;
  const part = (details: string, name: string) => counts.read(name, asObject(usage[details])?.[name]) ?? 0;
  return counts.usage({
    input: input ?? 0,
    output: output ?? 0,
    cacheRead: part('input_tokens_details', 'cached_tokens'),
    cacheWrite: part('input_tokens_details', 'cache_write_tokens'),
    reasoning: part('output_tokens_details', 'reasoning_tokens'),
  });
}
