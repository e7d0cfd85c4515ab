/** The engage mode for code: no model, one run of the item's code or command in a container. */

import { schemaProblems } from '../../../core/errors/schema-problems.ts';
import { codeParams } from '../../../core/work/code-params.ts';
import { createJournal } from '../../../engage/calls/journal.ts';
import { type ExecutionEnd, makeOneCall } from '../../../engage/execution.ts';
import type { EngageDone } from '../../../engage/verdict/engage-end.ts';
import { holdOutcome, nonconforming } from '../../../engage/verdict/outcome.ts';
import type { RecordedCall } from '../../../store/transcript/calls.ts';
import type { Transcript } from '../../../store/transcript/transcript.ts';
import { span } from '../../../telemetry/spans.ts';
import { EXECUTE_CODE } from '../../../tools/code/execute-code.ts';
import type { FocusEnd } from '../scope/focus-end.ts';
import { type Focus, spanKey } from '../scope/focus-scope.ts';
import { endOfEngage } from './built-in-engage.ts';
import { reachOf, withCommandPlaces } from './call-reach.ts';
import { loopHooksOf } from './focus-loop-hooks.ts';
import { type CodeEnd, readCodeEnd } from './read-code-end.ts';

/** Until somebody has repaired the engine. */
const NO_ENGINE_SECONDS = 30;

/**
 * Runs the code at most once: code that a crash has interrupted is in doubt, and the item is dead until somebody retries it. Code that could not
 * be started because no engine answers waits. Whatever the exit status, the item is completed. Rejects when the focus is aborted or its lease is
 * lost.
 */
export async function engageCode(focus: Focus, recorded: Transcript): Promise<FocusEnd | EngageDone> {
  const params = codeParams.safeParse(focus.work.params);
  if (!params.success)
    return dead('code.invalid', `the params of the work item are invalid: ${schemaProblems(params.error)}`);
  return span('work.engage', spanKey(focus), async () => {
    const end = await withCommandPlaces(focus, (places) => {
      const { reach, key } = focus;
      const call = { name: EXECUTE_CODE, input: params.data, again: comesToNothing };
      const { signal, drain } = focus.run.control;
      const run = { journal: createJournal(reach.db, key), signal, drain, onEvent: focus.run.emit };
      return makeOneCall(call, recorded, run, reachOf(focus, places, loopHooksOf(focus)));
    });
    return endOf(end, focus);
  });
}

/** Nothing ran, or an earlier attempt failed without a result. */
function comesToNothing(call: RecordedCall): boolean {
  const { kind } = readCodeEnd(call);
  return kind === 'unavailable' || kind === 'failed';
}

async function endOf(end: ExecutionEnd, focus: Focus): Promise<FocusEnd | EngageDone> {
  return end.kind === 'ended' ? endOfCall(readCodeEnd(end.call), focus) : endOfEngage(end, focus.reach.models);
}

const NO_READER = 'code does not read messages';

async function endOfCall(end: CodeEnd, { faculty }: Focus): Promise<FocusEnd | EngageDone> {
  switch (end.kind) {
    case 'outcome': {
      const { outcome, summary } = end;
      const reading = await holdOutcome(outcome, faculty.engage.outcomeSchema);
      if (reading.kind === 'invalid') return dead('engage.outcome_invalid', nonconforming(reading.problems));
      return { kind: 'done', finalText: '', outcome: reading.outcome, summary, unread: NO_READER };
    }
    case 'unavailable':
      return {
        kind: 'released',
        delaySeconds: NO_ENGINE_SECONDS,
        reason: end.problem,
        cause: 'sandbox.unavailable',
        holdFaculty: true,
      };
    case 'in_doubt':
      return dead(
        'code.in_doubt',
        `${end.problem}; it may have run, completely or in part, and is not run again automatically (animus work retry runs it)`,
      );
    case 'denied':
      return dead('code.denied', end.problem);
    case 'failed':
      return { kind: 'failed', error: { code: 'code.failed', message: end.problem, phase: 'engage' } };
    default:
      return end satisfies never;
  }
}

/** Another attempt would end the same way, or nobody can say what it would do twice. */
function dead(code: string, message: string): FocusEnd {
  const recovery = { retryDelaySeconds: null, keep: 'ledger' } as const;
  return { kind: 'failed', error: { code, message, phase: 'engage' }, recovery };
}
