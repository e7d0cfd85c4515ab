/** What an outcome says when nothing that the work wanted to write was written. */

/** The field `failed_writes` of an outcome. */
export interface FailedWrites {
  /** How many calls of tools that write there were; at least 1. None of them succeeded. */
  readonly calls: number;
  /** The names of these tools, sorted. */
  readonly tools: readonly string[];
  /** The result of the last of these calls, at most 300 characters. */
  readonly last: string;
}

/** The field of an outcome as it is in the database; null if it has none. An outcome is the faculty's own, so anything may be in it. */
export function failedWritesOf(outcome: unknown): FailedWrites | null {
  const { failed_writes: field } = (outcome ?? {}) as { failed_writes?: unknown };
  const { calls, tools, last } = (field ?? {}) as { calls?: unknown; tools?: unknown; last?: unknown };
  const isWhole = typeof calls === 'number' && Array.isArray(tools) && typeof last === 'string';
  return isWhole ? { calls, tools: tools.map(String), last } : null;
}

/** One sentence for people. */
export function failedWritesText({ calls, tools, last }: FailedWrites): string {
  const what = calls === 1 ? 'the only call that writes failed' : `all ${calls} calls that write failed`;
  return `nothing was written: ${what} (${tools.join(', ')}); the last: ${last.split('\n', 1)[0]}`;
}
