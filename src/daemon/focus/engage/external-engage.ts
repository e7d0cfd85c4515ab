/** The external engage mode: a command of the faculty does the work instead of the loop of model and tools. */
import type { Faculty } from '../../../catalog/faculty/faculty.ts';
import type { PhaseHook } from '../../../catalog/faculty/phase-hook.ts';
import { AnimusError } from '../../../core/errors/errors.ts';
import type { EngageDone } from '../../../engage/verdict/engage-end.ts';
import { holdOutcome, nonconforming } from '../../../engage/verdict/outcome.ts';
import { readHookFacts } from '../../../store/transcript/hook-facts.ts';
import type { Transcript } from '../../../store/transcript/transcript.ts';
import { span } from '../../../telemetry/spans.ts';
import type { HookOutput } from '../../hooks/hook-output.ts';
import { type FocusEnd, STOPPED } from '../scope/focus-end.ts';
import { recordHookLedger, runHook } from '../scope/focus-hook.ts';
import { type Focus, spanKey } from '../scope/focus-scope.ts';

/**
 * Runs the command at least once: after a crash it runs again, with the same ANIMUS_FOCUS_ID. It has no turn
 * boundaries, so a drain kills it when the grace time is over and releases the item. Errors: those of hooks. Rejects
 * like the other phases when the focus is aborted or its lease is lost.
 */
export async function engageExternally(focus: Focus, recorded: Transcript): Promise<FocusEnd | EngageDone> {
  const { reach, key, work } = focus;
  const { control } = focus.run;
  const command = commandOf(focus.faculty);
  return span('work.engage', spanKey(focus), async () => {
    const facts = { ...(await readHookFacts(reach.db, work.id)), context: orientation(recorded) };
    const signal = AbortSignal.any([control.signal, control.drain]);
    const result = await runHook(focus, 'engage', command, facts, signal);
    switch (result.kind) {
      case 'output':
        await recordHookLedger(focus, result.output.ledger);
        return doneWith(result.output, focus);
      case 'blocked':
      case 'failed':
        return failed(result.error.code, result.error.message);
      case 'aborted':
        control.signal.throwIfAborted();
        if (control.drain.aborted) return { kind: 'released', delaySeconds: 0, ...STOPPED, holdFaculty: false };
        throw new AnimusError('process.interrupted', { command: command.command, detail: result.reason });
      case 'proceed':
        throw new AnimusError('internal.bug', { detail: `engage of focus ${key.focusId} ended without an outcome` });
      default:
        return result satisfies never;
    }
  });
}

function commandOf({ name, engage }: Faculty): PhaseHook {
  if (engage.external) return engage.external;
  throw new AnimusError('internal.bug', { detail: `faculty ${name} has mode external but no command` });
}

const FOR_COMMANDS: ReadonlySet<string> = new Set(['orient', 'skill', 'attachment']);

/** The first message of the focus: the same text that a model would get, with the context from the orient hook, skills and the attached texts. */
function orientation({ messages }: Transcript): string {
  const begun = messages.filter(({ kind }) => FOR_COMMANDS.has(kind));
  return begun.map(({ content }) => content).join('\n\n');
}

const NO_READER = 'the command of an external faculty does not read messages';

/** Validates the outcome against the faculty's schema, if any. There is no model that could repair it. */
async function doneWith(
  { outcome: printed, summary }: HookOutput['engage'],
  { faculty }: Focus,
): Promise<FocusEnd | EngageDone> {
  const reading = await holdOutcome(printed, faculty.engage.outcomeSchema);
  if (reading.kind === 'invalid') return failed('engage.outcome_invalid', nonconforming(reading.problems));
  return {
    kind: 'done',
    finalText: summary ?? '',
    outcome: reading.outcome,
    unread: NO_READER,
    ...(summary !== undefined && { summary }),
  };
}

function failed(code: string, message: string): FocusEnd {
  return { kind: 'failed', error: { code, message, phase: 'engage' } };
}
