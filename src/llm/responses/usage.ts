import type { Usage } from '../client.ts';
import { asNumber, asObject } from '../wire/loose-json.ts';

/** Token counts of a Responses usage object; null if it has none. Cached tokens and reasoning are parts of the two sums. */
export function responsesUsage(value: unknown): Usage | null {
  const usage = asObject(value);
  const input = asNumber(usage?.['input_tokens']);
  const output = asNumber(usage?.['output_tokens']);
  if (!usage || (input === null && output === null)) return null;
  const prompt = asObject(usage['input_tokens_details']);
  return {
    input: input ?? 0,
    output: output ?? 0,
    cacheRead: asNumber(prompt?.['cached_tokens']) ?? 0,
    cacheWrite: asNumber(prompt?.['cache_write_tokens']) ?? 0,
    reasoning: asNumber(asObject(usage['output_tokens_details'])?.['reasoning_tokens']) ?? 0,
  };
}
