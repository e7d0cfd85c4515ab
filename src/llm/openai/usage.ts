import type { Usage } from '../client.ts';
import { asObject } from '../wire/loose-json.ts';
import { tokenCounts } from '../wire/token-counts.ts';

/**
 * Token counts of a Chat Completions usage object; null if it has none. `prompt_tokens` already counts cached ones.
 * Vendors differ in where those are (`prompt_tokens_details.cached_tokens`; DeepSeek `prompt_cache_hit_tokens`; Moonshot
 * `cached_tokens`) and in whether `completion_tokens` holds the reasoning: if the total counts it in addition, it is added.
 */
export function openaiUsage(value: unknown): Usage | null {
  const usage = asObject(value);
  if (!usage) return null;
  const counts = tokenCounts();
  const count = (name: string, from = usage) => counts.read(name, from?.[name]);
  const input = count('prompt_tokens');
  const completion = count('completion_tokens');
  if (input === null && completion === null) return null;
  const prompt = asObject(usage['prompt_tokens_details']) ?? {};
  const reasoning = count('reasoning_tokens', asObject(usage['completion_tokens_details']) ?? {}) ?? 0;
  const total = reasoning === 0 ? null : count('total_tokens');
  const isOnTop = total !== null && total >= (input ?? 0) + (completion ?? 0) + reasoning;
  const cacheRead = count('cached_tokens', prompt) ?? count('prompt_cache_hit_tokens') ?? count('cached_tokens') ?? 0;
  return counts.usage({
    input: input ?? 0,
    output: (completion ?? 0) + (isOnTop ? reasoning : 0),
    cacheRead,
    cacheWrite: count('cache_write_tokens', prompt) ?? count('cache_creation_tokens', prompt) ?? 0,
    reasoning,
  });
}
