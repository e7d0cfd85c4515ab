/**
 * Recover: decides what happens to work whose focus failed. The faculty's hook decides, within the allowed attempts; otherwise the
 * default policy does.
 */
import type { PhaseHook } from '../../../catalog/faculty/phase-hook.ts';
import { ERRORS, type ErrorCode } from '../../../core/errors/error-table.ts';
import { isAnimusError, messageOf } from '../../../core/errors/errors.ts';
import { setPhase } from '../../../store/transcript/focus-row.ts';
import { readHookFacts } from '../../../store/transcript/hook-facts.ts';
import type { WorkError } from '../../../store/work/work.ts';
import { type ActiveSpan, span } from '../../../telemetry/spans.ts';
import type { HookResult } from '../../hooks/hook-command.ts';
import type { HookOutput } from '../../hooks/hook-output.ts';
import { abortReason, createFocusControl, type FocusControl } from '../scope/focus-control.ts';
import type { FocusEnd } from '../scope/focus-end.ts';
import { recordHookLedger, runHook } from '../scope/focus-hook.ts';
import { type Focus, spanKey } from '../scope/focus-scope.ts';
import { retryDelaySeconds } from '../scope/recovery.ts';

/** How often an interrupted hook is tried, each time with a new supervisor. */
const MAX_TRIES = 3;

export type FailedEnd = Extract<FocusEnd, { kind: 'failed' }>;

/**
 * Adds the decision to a failed end. The default policy decides when there is no hook or the hook fails (logged with the
 * reason). Rejects like the other phases when the focus is aborted or its lease is lost.
 */
export async function recover(focus: Focus, failed: FailedEnd): Promise<FailedEnd> {
  // The snapshot of a focus that began under an earlier animus does not have it.
  const hook = focus.faculty.recover.hook ?? null;
  if (hook === null) return failed;
  const { work, reach, key } = focus;
  const attempt = work.attempts + 1;
  return span('work.recover', { ...spanKey(focus), 'work.attempt': attempt }, async (recovering) => {
    await setPhase(reach.db, key, 'recover');
    focus.run.emit({ type: 'phase', phase: 'recover' });
    const read = await readHookFacts(reach.db, work.id);
    const control = liveControl(focus.run.control);
    const facts = { ...read, phase: failed.error.phase ?? 'engage', error: errorFacts(failed.error), attempt };
    const result = await asked({ ...focus, run: { ...focus.run, control } }, hook, facts);
    switch (result.kind) {
      case 'proceed':
        return failed;
      case 'output': {
        await recordHookLedger(focus, result.output.ledger);
        const seen = (read.ledger.at(-1)?.seq ?? 0) + (result.output.ledger?.length ?? 0);
        return decided(focus, failed, result.output, seen);
      }
      case 'blocked':
        await recordHookLedger(focus, [
          { type: 'note', content: `The recover hook allows no further attempt: ${result.reason}` },
        ]);
        return { ...failed, recovery: { retryDelaySeconds: null, keep: 'ledger' } };
      case 'failed':
        return unhelped(focus, failed, recovering, result.error);
      case 'aborted':
        control.signal.throwIfAborted();
        return unhelped(focus, failed, recovering, result.reason);
      default:
        return result satisfies never;
    }
  });
}

/**
 * Runs the hook again when it was interrupted through no fault of its own: otherwise the failure would be left without its
 * decision.
 */
async function asked(
  focus: Focus,
  hook: PhaseHook,
  facts: Parameters<typeof runHook>[3],
): Promise<HookResult<'recover'>> {
  for (let tries = 1; ; tries++) {
    try {
      return await runHook(focus, 'recover', hook, facts);
    } catch (error) {
      if (!isAnimusError(error, 'process.interrupted')) throw error;
      focus.run.control.signal.throwIfAborted();
      if (tries === MAX_TRIES) return { kind: 'failed', error };
    }
  }
}

function decided(focus: Focus, failed: FailedEnd, output: HookOutput['recover'], ledgerSeen: number): FailedEnd {
  const { action, keep = 'ledger' } = output;
  if (action === 'dead') return { ...failed, recovery: { retryDelaySeconds: null, keep } };
  const policyDelay = () => retryDelaySeconds(focus.faculty.recover, focus.work.attempts + 1, Math.random());
  const recovery = { retryDelaySeconds: output.delay_seconds ?? policyDelay(), keep };
  if (keep !== 'nothing') return { ...failed, recovery };
  // Stored on the item: the next attempt's orientation omits the ledger up to here.
  return { ...failed, recovery, error: { ...failed.error, ledger_kept_after: ledgerSeen } };
}

function unhelped(focus: Focus, failed: FailedEnd, recovering: ActiveSpan<'work.recover'>, error: unknown): FailedEnd {
  recovering.fail('hook.failed');
  const fields = { work_item_id: focus.work.id, faculty: focus.work.faculty, reason: messageOf(error) };
  focus.reach.log.warn(fields, 'the recover hook made no decision; using the default policy');
  return failed;
}

/** A focus that was aborted because its deadline passed may still recover. */
function liveControl(control: FocusControl): FocusControl {
  return abortReason(control) === 'deadline' ? createFocusControl() : control;
}

/** The error as the hook sees it; `retryable`: whether the same work may succeed later without a change by a person. */
function errorFacts(error: WorkError) {
  const retryable = Object.hasOwn(ERRORS, error.code) ? ERRORS[error.code as ErrorCode].retryable : false;
  return { ...error, retryable: retryable || error.code === 'focus.deadline' };
}
