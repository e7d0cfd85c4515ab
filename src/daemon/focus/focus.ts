/** One focus: orient → engage → consolidate, recover on failure, and settlement of its end. The top function reads as its steps. */
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import { AnimusError, isAnimusError, messageOf } from '../../core/errors/errors.ts';
import type { Phase } from '../../core/work/words.ts';
import { setPhase } from '../../store/transcript/focus-row.ts';
import type { ClaimedWork } from '../../store/work/work.ts';
import { beginFocus, type Claimed } from './begin-focus.ts';
import { consolidate } from './end/consolidate.ts';
import { withFailedWrites } from './end/failed-writes.ts';
import { recover } from './end/recover.ts';
import { ENGAGE_MODES } from './engage/engage-modes.ts';
import { orient } from './orient/orient.ts';
import { askForProvider } from './scope/ask-for-model.ts';
import { abortReason, type FocusControl } from './scope/focus-control.ts';
import { type FocusEnd, STOPPED } from './scope/focus-end.ts';
import type { Focus, FocusBeginning, FocusReach } from './scope/focus-scope.ts';

/** Runs one focus and recovers when it fails. Never rejects: every failure is returned as an end. */
export async function attempt(
  work: ClaimedWork,
  faculty: Faculty,
  claimed: Claimed,
  beginning: FocusBeginning,
  reach: FocusReach,
): Promise<{ readonly end: FocusEnd; readonly focus: Focus | null }> {
  let focus: Focus;
  try {
    focus = await beginFocus(work, faculty, claimed, beginning, reach);
  } catch (error) {
    return { end: endOfError(error, claimed.control, faculty, 'orient'), focus: null };
  }
  const end = await runPhases(focus);
  // It was decided already, so the recover hook is not asked.
  if (end.kind !== 'failed' || end.recovery !== undefined) return { end, focus };
  try {
    return { end: await recover(focus, end), focus };
  } catch (error) {
    return { end: endOfError(error, claimed.control, focus.faculty, 'recover'), focus };
  }
}

async function runPhases(focus: Focus): Promise<FocusEnd> {
  let phase: Phase = 'orient';
  try {
    const elsewhere = await askForProvider(focus);
    if (elsewhere !== null) return elsewhere;
    const recorded = await orient(focus);
    phase = await enter(focus, 'engage', focus.row.resumes > 0);
    const engaged = await ENGAGE_MODES[focus.faculty.engage.mode](focus, recorded);
    if (engaged.kind !== 'done') return engaged;
    // Without a hook it is over at once, and recorded with the end.
    phase = await enter(focus, 'consolidate', focus.faculty.consolidate !== null);
    return await withFailedWrites(await consolidate(focus, engaged), focus);
  } catch (error) {
    return endOfError(error, focus.run.control, focus.faculty, phase);
  } finally {
    await focus.run.unsent.giveBack();
  }
}

/** `record`: it is not recorded otherwise; the first message of a focus records that engage begins. */
async function enter(focus: Focus, phase: Phase, record: boolean): Promise<Phase> {
  focus.run.control.signal.throwIfAborted();
  if (record) await setPhase(focus.reach.db, focus.key, phase);
  focus.run.emit({ type: 'phase', phase });
  return phase;
}

function deadlineMessage({ runDeadlineSeconds }: Faculty): string {
  return `not done within run_deadline_seconds (${runDeadlineSeconds} s); everything that it had started was stopped`;
}

/** Delay until the next check whether a displaced file is back. */
const DISPLACED_SECONDS = 60;

/** Delay until the next check whether the directory of a worktree can be seen. */
const ELSEWHERE_SECONDS = 60;

/** Maps a thrown error to an end. An aborted focus ends by its abort reason, whatever was thrown meanwhile. */
function endOfError(error: unknown, control: FocusControl, faculty: Faculty, phase: Phase): FocusEnd {
  const reason = abortReason(control);
  switch (reason) {
    case 'lease_lost':
      return { kind: 'lost' };
    case 'cancelled':
      return { kind: 'cancelled' };
    case 'shutdown':
      return { kind: 'released', delaySeconds: 0, ...STOPPED, holdFaculty: false };
    case 'deadline':
      return { kind: 'failed', error: { code: 'focus.deadline', message: deadlineMessage(faculty), phase } };
    case null:
      break;
    default:
      return reason satisfies never;
  }
  if (isAnimusError(error, 'work.lease_lost')) return { kind: 'lost' };
  const code = error instanceof AnimusError ? error.code : 'internal.bug';
  const released = (delaySeconds: number, holdFaculty = false): FocusEnd => {
    return { kind: 'released', delaySeconds, reason: messageOf(error), cause: code, holdFaculty };
  };
  switch (code) {
    case 'db.unreachable':
    case 'work.locked':
      return released(0);
    // For example, the supervisor died. The work did nothing wrong and is retried after a short delay.
    case 'process.interrupted':
      return released(2 + 3 * Math.random());
    // Needs a person to fix it; the work did nothing wrong.
    case 'files.displaced':
      return released(DISPLACED_SECONDS, true);
    // Another daemon sees the directory, or a person gives it up.
    case 'worktree.elsewhere':
      return released(ELSEWHERE_SECONDS);
    // Somebody is writing its files; the daemon reads them again within seconds.
    case 'skill.changed':
      return released(5);
    // No attempt can succeed before a person does something: dead shows that, and `work retry` runs it again.
    case 'skill.unknown':
    case 'work.provider_changed':
    case 'worktree.other_repository':
    case 'llm.no_batch': {
      const recovery = { retryDelaySeconds: null, keep: 'ledger' } as const;
      return { kind: 'failed', error: { code, message: messageOf(error), phase }, recovery };
    }
    default:
      return { kind: 'failed', error: { code, message: messageOf(error), phase } };
  }
}
