import type { Usage } from '../client.ts';
import { asNumber, asObject, type Loose } from '../wire/loose-json.ts';

/**
 * Token counts of a Chat Completions usage object; null if it has none. `prompt_tokens` already counts cached ones.
 * Vendors differ in where those are (`prompt_tokens_details.cached_tokens`; DeepSeek `prompt_cache_hit_tokens`; Moonshot
 * `cached_tokens`) and in whether `completion_tokens` holds the reasoning: if the total counts it in addition, it is added.
 */
export function openaiUsage(value: unknown): Usage | null {
  const usage = asObject(value);
  const input = asNumber(usage?.['prompt_tokens']);
  const completion = asNumber(usage?.['completion_tokens']);
  if (!usage || (input === null && completion === null)) return null;
  const prompt = asObject(usage['prompt_tokens_details']);
  const reasoning = asNumber(asObject(usage['completion_tokens_details'])?.['reasoning_tokens']) ?? 0;
  return {
    input: input ?? 0,
    output: (completion ?? 0) + (reasoningIsOnTop(usage, reasoning) ? reasoning : 0),
    cacheRead: first(prompt?.['cached_tokens'], usage['prompt_cache_hit_tokens'], usage['cached_tokens']),
    cacheWrite: first(prompt?.['cache_write_tokens'], prompt?.['cache_creation_tokens']),
    reasoning,
  };
}

function reasoningIsOnTop(usage: Loose, reasoning: number): boolean {
  const total = asNumber(usage['total_tokens']);
  if (total === null || reasoning === 0) return false;
  return total >= (asNumber(usage['prompt_tokens']) ?? 0) + (asNumber(usage['completion_tokens']) ?? 0) + reasoning;
}

function first(...values: readonly unknown[]): number {
  return values.map(asNumber).find((value) => value !== null) ?? 0;
}
