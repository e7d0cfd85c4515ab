/** How far a focus is. */
import type { Status } from '../../../client/client.ts';

interface Step {
  readonly name: string;
  readonly is: 'done' | 'now' | 'next';
}

/** The phases of a focus in their order (docs/vocabulary.md). After a failure, `recover` takes the place of the last one. */
const PHASES = ['orient', 'engage', 'consolidate'] as const;

/** Null, or a phase that is not known: it has not begun. */
export function stepsOf(phase: string | null): readonly Step[] {
  const at = phase === 'recover' ? PHASES.length - 1 : PHASES.findIndex((name) => name === phase);
  return PHASES.map((name, index) => ({ name, is: index < at ? 'done' : index === at ? 'now' : 'next' }));
}

/** Those that have run longest come first; those that have not begun come last. */
export function inOrder(foci: Status['foci']): Status['foci'] {
  return foci.toSorted((a, b) => begun(a) - begun(b) || (a.work_item_id < b.work_item_id ? -1 : 1));
}

function begun({ started_at }: Status['foci'][number]): number {
  return started_at === null ? Number.POSITIVE_INFINITY : Date.parse(started_at);
}

/** What a daemon reports, in words. */
export function problemText(problem: unknown): string {
  if (typeof problem === 'string') return problem;
  const { message } = (problem ?? {}) as { readonly message?: unknown };
  return typeof message === 'string' ? message : (JSON.stringify(problem) ?? '');
}
