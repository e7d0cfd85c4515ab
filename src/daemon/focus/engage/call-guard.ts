/** What surrounds the tool calls of a focus: made from the faculty as it is loaded now, even if the focus began with an earlier version. */
import type { CallGuard } from '../../../engage/calls/gate.ts';
import { grantCovers, permissionGate } from '../../../engage/calls/permission-gate.ts';
import type { Focus } from '../scope/focus-scope.ts';
import type { FocusLoopHooks } from './focus-loop-hooks.ts';

/**
 * The gates, in order: first hooks, then permissions; and what changes results. A faculty without rules and hooks has no gate that ever says
 * `later` or `ask` (but for tools of risk `spend`, tools of servers, and commands without isolation), so its turns cost nothing extra.
 */
export function callGuard({ faculty, reach: { shared } }: Focus, { gate, afterRun }: FocusLoopHooks): CallGuard {
  const { permissions } = faculty;
  const gates = [...(gate === null ? [] : [gate]), ...(permissions ? [permissionGate(permissions)] : [])];
  const fourEyes = permissions?.fourEyes === true;
  return { gates, covers: grantCovers, ...(afterRun && { afterRun }), unattended: shared.unattended, fourEyes };
}
