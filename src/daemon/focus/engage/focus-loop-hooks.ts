/** The hooks of a focus's loop. */
import { NO_LOOP_HOOKS } from '../../../catalog/faculty/loop-hooks.ts';
import type { AfterRun, CallGate } from '../../../engage/calls/gate.ts';
import type { BeforeRequest } from '../../../engage/turn/before-request.ts';
import { readAudience } from '../../../store/work/awareness.ts';
import { hooksOnResults } from '../../hooks/after-tool-call.ts';
import { hooksOnRequests } from '../../hooks/before-llm-call.ts';
import { hookGate } from '../../hooks/before-tool-call.ts';
import type { HookInput } from '../../hooks/hook-output.ts';
import { createHookRecords } from '../../hooks/hook-records.ts';
import type { HookedLoop } from '../../hooks/loop-hook.ts';
import { hookFacts, runCommandOf } from '../scope/focus-hook.ts';
import type { Focus } from '../scope/focus-scope.ts';

/** Empty for a faculty without hooks. */
export interface FocusLoopHooks {
  readonly gate: CallGate | null;
  readonly afterRun: AfterRun | undefined;
  readonly beforeRequest: BeforeRequest | undefined;
}

/** The hooks of the loaded faculty, also for a focus that began with others. Costs nothing where there are none. */
export function loopHooksOf(focus: Focus): FocusLoopHooks {
  const { faculty, key, row, reach, work } = focus;
  const { control, emit } = focus.run;
  const hooks = faculty.hooks ?? NO_LOOP_HOOKS;
  const hooked: HookedLoop = {
    hooks,
    records: createHookRecords(reach.db, key, row.resumes > 0, control.signal),
    run: async (event, hook, own, signal) => {
      // Asked each time: others may join the conversation meanwhile.
      const readers = await readAudience(reach.db, work.id);
      const input = { event, ...hookFacts(focus), readers, ...own } as unknown as HookInput[typeof event];
      return runCommandOf(focus, event, hook, input, signal);
    },
    faculty: work.faculty,
    log: reach.log,
    emit,
  };
  return {
    gate: hookGate(hooked),
    afterRun: hooksOnResults(hooked),
    beforeRequest: hooksOnRequests({ model: faculty.engage.model, tools: row.tools.map(({ name }) => name) }, hooked),
  };
}
