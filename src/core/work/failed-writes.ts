/** What an outcome says when nothing that the work wanted to write was written. */
import { z } from 'zod';

const failedWrites = z.object({
  /** How many calls of tools that write there were; at least 1. None of them succeeded. */
  calls: z.number().int().positive(),
  /** The names of these tools, sorted. */
  tools: z.array(z.string()),
  /** The result of the last of these calls, at most 300 characters. */
  last: z.string(),
});

/** The field `failed_writes` of an outcome. */
export type FailedWrites = z.infer<typeof failedWrites>;

/** The field of an outcome as it is in the database; null if it has none. */
export function failedWritesOf(outcome: unknown): FailedWrites | null {
  const field = (outcome as Readonly<Record<string, unknown>> | null)?.['failed_writes'];
  return failedWrites.safeParse(field).data ?? null;
}

/** One sentence for people. */
export function failedWritesText({ calls, tools, last }: FailedWrites): string {
  const what = calls === 1 ? 'the only call that writes failed' : `all ${calls} calls that write failed`;
  return `nothing was written: ${what} (${tools.join(', ')}); the last: ${last.split('\n', 1)[0]}`;
}
