import type { Usage } from '../client.ts';
import { asNumber, asObject, type Loose } from '../wire/loose-json.ts';

/** The latest value of each field, as received. */
export type RawUsage = Readonly<Record<string, number>>;

/**
 * Merges a later report into an earlier one; each number replaces the earlier value. Counts are cumulative, and
 * `message_delta` corrects even the input count of `message_start`. It may have fewer fields, or nulls.
 */
export function mergeUsage(earlier: RawUsage, later: unknown): RawUsage {
  const fields = asObject(later);
  if (!fields) return earlier;
  const merged: Record<string, number> = { ...earlier };
  for (const name of ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens']) {
    const value = asNumber(fields[name]);
    if (value !== null) merged[name] = value;
  }
  const reasoning = reasoningTokens(fields);
  if (reasoning !== null) merged['reasoning'] = reasoning;
  return merged;
}

/** Adds cached tokens to `input`: Anthropic counts them separately. Null if no usage was reported. */
export function usageOf(raw: RawUsage): Usage | null {
  if (raw['input_tokens'] === undefined && raw['output_tokens'] === undefined) return null;
  const cacheRead = raw['cache_read_input_tokens'] ?? 0;
  const cacheWrite = raw['cache_creation_input_tokens'] ?? 0;
  return {
    input: (raw['input_tokens'] ?? 0) + cacheRead + cacheWrite,
    output: raw['output_tokens'] ?? 0,
    cacheRead,
    cacheWrite,
    reasoning: raw['reasoning'] ?? 0,
  };
}

function reasoningTokens(fields: Loose): number | null {
  return asNumber(asObject(fields['output_tokens_details'])?.['thinking_tokens']);
}
