/** Consolidate: turns the final answer into the outcome. A hook may check, change or refuse it. */

import { AnimusError } from '../../../core/errors/errors.ts';
import type { EngageDone } from '../../../engage/verdict/engage-end.ts';
import { type HeldOutcome, holdOutcome, nonconforming, summaryOf } from '../../../engage/verdict/outcome.ts';
import { type ChildReport, readChildren } from '../../../store/transcript/children.ts';
import { readHookFacts } from '../../../store/transcript/hook-facts.ts';
import { span } from '../../../telemetry/spans.ts';
import type { FocusEnd } from '../scope/focus-end.ts';
import { recordHookLedger, runHook } from '../scope/focus-hook.ts';
import { type Focus, spanKey } from '../scope/focus-scope.ts';
import { storeHookMemories } from './hook-memories.ts';
import { storeHookSkills } from './hook-skills.ts';

/** Turns the result of engage into the end of the focus. */
export async function consolidate(
  focus: Focus,
  { finalText, outcome, summary: said, unread, lastAnswer }: Omit<EngageDone, 'kind'>,
): Promise<FocusEnd> {
  const completed = (final: HeldOutcome, summary: string) =>
    ({ kind: 'completed', outcome: final, summary, ...(unread !== undefined && { unread }) }) as const;
  const summaryFor = (final: HeldOutcome) => said ?? summaryOf(finalText, final);
  return span('work.consolidate', spanKey(focus), async () => {
    const hook = focus.faculty.consolidate;
    if (!hook) return { ...completed(outcome, summaryFor(outcome)), ...(lastAnswer && { lastAnswer }) };
    const facts = await readHookFacts(focus.reach.db, focus.work.id);
    const children = (await readChildren(focus.reach.db, focus.work.id, null)).map(childJson);
    const result = await runHook(focus, 'consolidate', hook, { ...facts, outcome, final_text: finalText, children });
    switch (result.kind) {
      case 'proceed':
        return completed(outcome, summaryFor(outcome));
      case 'output': {
        const { outcome: own, summary } = result.output;
        const reading = own === undefined ? null : await holdOutcome(own, focus.faculty.engage.outcomeSchema);
        // Before anything of this run of the hook is stored: the next attempt runs it again.
        if (reading?.kind === 'invalid') return refused('engage.outcome_invalid', nonconforming(reading.problems));
        await recordHookLedger(focus, result.output.ledger);
        await storeHookMemories(focus, result.output.memories);
        await storeHookSkills(focus, result.output.skills);
        const final = reading?.outcome ?? outcome;
        return completed(final, summary ?? summaryFor(final));
      }
      case 'blocked':
      case 'failed':
        return refused(result.error.code, result.error.message);
      case 'aborted':
        focus.run.control.signal.throwIfAborted();
        throw new AnimusError('process.interrupted', { command: hook.command, detail: result.reason });
      default:
        return result satisfies never;
    }
  });
}

function refused(code: string, message: string): FocusEnd {
  return { kind: 'failed', error: { code, message, phase: 'consolidate' } };
}

/** A child as hooks get it. `outcome` is a text, or JSON as text, cut after 100,000 characters. */
function childJson({ id, faculty, state, mergedInto, detached, summary, outcome, error }: ChildReport) {
  return { id, faculty, state, merged_into: mergedInto, detached, summary, outcome, error };
}
