import type { Usage } from '../client.ts';
import { asObject } from '../wire/loose-json.ts';
import { tokenCount, tokenCounts } from '../wire/token-counts.ts';

/** The latest value of each field, as received. */
export type RawUsage = Readonly<Record<string, unknown>>;

const FIELDS = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'] as const;

/**
 * Merges a later report into an earlier one; each number replaces the earlier value. Counts are cumulative, and
 * `message_delta` corrects even the input count of `message_start`. It may have fewer fields, or nulls.
 */
export function mergeUsage(earlier: RawUsage, later: unknown): RawUsage {
  const fields = asObject(later);
  if (!fields) return earlier;
  const merged: Record<string, unknown> = { ...earlier };
  const merge = (name: string, value: unknown): void => {
    // A value that is not a number replaces nothing. Without an earlier value it is kept, so that it can be reported.
    if (tokenCount(value) !== null || tokenCount(merged[name]) === null) merged[name] = value ?? merged[name];
  };
  for (const name of FIELDS) merge(name, fields[name]);
  merge('thinking_tokens', asObject(fields['output_tokens_details'])?.['thinking_tokens']);
  return merged;
}

/**
 * Adds cached tokens to `input`: Anthropic counts them separately. Null if no usage was reported. `isWhole`: false where only the beginning of the
 * answer was counted, so that its output is not known (0).
 */
export function usageOf(raw: RawUsage, isWhole: boolean): Usage | null {
  const counts = tokenCounts();
  const count = (name: string) => counts.read(name, raw[name]);
  const input = count('input_tokens');
  const output = count('output_tokens');
  if (input === null && output === null) return null;
  const cacheRead = count('cache_read_input_tokens') ?? 0;
  const cacheWrite = count('cache_creation_input_tokens') ?? 0;
  return counts.usage({
    input: (input ?? 0) + cacheRead + cacheWrite,
    output: isWhole ? (output ?? 0) : 0,
    cacheRead,
    cacheWrite,
    reasoning: count('thinking_tokens') ?? 0,
  });
}
