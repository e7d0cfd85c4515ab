/** Reads from the record of its call how a run of code ended. */
import { z } from 'zod';
import { parsedJson } from '../../../core/text/json-values.ts';
import type { RecordedCall } from '../../../store/transcript/calls.ts';

/** How it ended, and what follows. */
export type CodeEnd =
  | { readonly kind: 'outcome'; readonly outcome: Readonly<Record<string, unknown>>; readonly summary: string }
  /** Nothing ran. */
  | { readonly kind: 'unavailable'; readonly problem: string }
  /** It was interrupted: it may have run. */
  | { readonly kind: 'in_doubt'; readonly problem: string }
  /** A rule, a hook or a person refused it. */
  | { readonly kind: 'denied'; readonly problem: string }
  /** The call has a result that is not an outcome. */
  | { readonly kind: 'failed'; readonly problem: string };

const exited = z.looseObject({ exit_status: z.int(), ended: z.string(), duration_ms: z.number() });
const notExited = z.object({ ended: z.string(), problem: z.string() });

/** The end of a call that has ended. */
export function readCodeEnd({ state, output }: Pick<RecordedCall, 'state' | 'output'>): CodeEnd {
  const text = output ?? '';
  const value = parsedJson(text);
  const problem = notExited.safeParse(value).data;
  if (state === 'in_doubt') return { kind: 'in_doubt', problem: problem?.problem ?? 'it was interrupted' };
  if (state === 'denied') return { kind: 'denied', problem: text };
  const outcome = exited.safeParse(value).data;
  if (outcome) return { kind: 'outcome', outcome, summary: summaryOf(outcome) };
  if (problem?.ended === 'unavailable') return { kind: 'unavailable', problem: problem.problem };
  return { kind: 'failed', problem: text };
}

function summaryOf({ exit_status: status, ended, duration_ms: ms }: z.output<typeof exited>): string {
  const how =
    ended === 'timeout'
      ? 'stopped at its time-out'
      : ended === 'limit'
        ? 'stopped at a limit'
        : `exit status ${status}`;
  return `${how} after ${(ms / 1000).toFixed(1)} s`;
}
