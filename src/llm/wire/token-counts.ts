import type { Usage } from '../client.ts';

/** No call has more tokens: ten times the largest window of 2026. */
export const MAX_TOKENS = 100_000_000;

/** Longest value that is kept of what a provider reported, in characters. */
const MAX_SHOWN = 100;

/** Reads the counts of one report of usage: a count that the database or a budget cannot take must not lose the answer. */
export function tokenCounts() {
  const reported: Record<string, string> = {};
  let changed = false;
  return {
    /** As `tokenCount`. */
    read(field: string, value: unknown): number | null {
      if (value === null || value === undefined) return null;
      reported[field] = shown(value);
      const count = tokenCount(value);
      changed ||= String(count) !== reported[field];
      return count;
    },
    /**
     * The usage, with the parts within their whole (cached tokens within the input, reasoning within the output). If a count
     * had to be changed, `reported` has what the provider wrote, field by field.
     */
    usage(counts: Usage): Usage {
      const input = Math.min(counts.input, MAX_TOKENS);
      const output = Math.min(counts.output, MAX_TOKENS);
      const cacheRead = Math.min(counts.cacheRead, input);
      const cacheWrite = Math.min(counts.cacheWrite, input - cacheRead);
      const reasoning = Math.min(counts.reasoning, output);
      const usage = { input, output, cacheRead, cacheWrite, reasoning };
      changed ||= input !== counts.input || output !== counts.output || reasoning !== counts.reasoning;
      changed ||= cacheRead !== counts.cacheRead || cacheWrite !== counts.cacheWrite;
      return changed ? { ...usage, reported } : usage;
    },
  };
}

/**
 * The value as a whole number of 0 to 100,000,000: fractions are rounded up, strings of digits are parsed, everything beyond the bounds is moved to
 * them. Null if it is not a number.
 */
export function tokenCount(value: unknown): number | null {
  const number = typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || Number.isNaN(number)) return null;
  return Math.max(0, Math.min(MAX_TOKENS, Math.ceil(number)));
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, MAX_SHOWN);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : 'an object';
}
