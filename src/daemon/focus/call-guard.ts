/** What stands around the tool calls of a focus: made from the faculty as it is loaded now, also for a focus that began with another one. */
import type { CallGuard } from '../../engage/calls/gate.ts';
import type { FocusLoopHooks } from './focus-loop-hooks.ts';
import type { Focus } from './focus-scope.ts';

/**
 * The gates, in order: first hooks, then permissions; and what changes results. A faculty without rules and hooks has no gate that ever says
 * `later` or `ask`, so that its turns cost nothing more.
 */
export function callGuard({ means: { unattended } }: Focus, { gate, afterRun }: FocusLoopHooks): CallGuard {
  return { gates: gate === null ? [] : [gate], ...(afterRun && { afterRun }), unattended };
}
