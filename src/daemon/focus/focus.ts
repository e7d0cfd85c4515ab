/** One focus: orient → engage → consolidate, recover on failure, and settlement of its end. The top function reads as its steps. */
import { join } from 'node:path';
import { asksModel, type Faculty } from '../../catalog/faculty/faculty.ts';
import { AnimusError, isAnimusError, messageOf } from '../../core/errors/errors.ts';
import type { Phase } from '../../core/work/words.ts';
import type { FocusEventBody } from '../../engage/events/events.ts';
import { createOutputTeller } from '../../engage/events/output-teller.ts';
import { createTextTeller } from '../../engage/events/text-teller.ts';
import { createUnsentTurn } from '../../engage/turn/unsent-turn.ts';
import { FAILURE_NOTICE } from '../../engage/verdict/attempt.ts';
import { type LivePiece, tellWatchers } from '../../store/events/live/live-pieces.ts';
import { readRunningMs, setPhase, startFocus } from '../../store/transcript/focus-row.ts';
import type { ClaimedWork } from '../../store/work/work.ts';
import { count } from '../../telemetry/metrics.ts';
import { openToolset } from '../../tools/source.ts';
import { focusHome } from '../workspace/focus-home.ts';
import { consolidate } from './end/consolidate.ts';
import { withFailedWrites } from './end/failed-writes.ts';
import { recover } from './end/recover.ts';
import { modelSees } from './engage/built-in-engage.ts';
import { ENGAGE_MODES } from './engage/engage-modes.ts';
import { answerOf, continueAnswer, conversationDirectory } from './orient/continue-focus.ts';
import { beginWithRequest } from './orient/first-request.ts';
import { orient } from './orient/orient.ts';
import { askForProvider, warnOfLost } from './scope/ask-for-model.ts';
import { asBegun } from './scope/begun-faculty.ts';
import { abortReason, type FocusControl } from './scope/focus-control.ts';
import { type FocusEnd, STOPPED } from './scope/focus-end.ts';
import type { Focus, FocusBeginning, FocusReach } from './scope/focus-scope.ts';
import { openWorkspace } from './scope/focus-workspace.ts';
import { hostIsolation } from './scope/host-isolation.ts';
import { tallyWrites } from './scope/written-tally.ts';

/** Runs one focus and recovers when it fails. Never rejects: every failure is returned as an end. */
export async function attempt(
  work: ClaimedWork,
  faculty: Faculty,
  control: FocusControl,
  reach: FocusBeginning & FocusReach,
): Promise<{ readonly end: FocusEnd; readonly focus: Focus | null }> {
  const { end, focus } = await runPhases(work, faculty, control, reach);
  // A decision that was made already is not the recover hook's to make.
  if (focus === null || end.kind !== 'failed' || end.recovery !== undefined) return { end, focus };
  try {
    return { end: await recover(focus, end), focus };
  } catch (error) {
    return { end: endOfError(error, control, focus.faculty, 'recover'), focus };
  }
}

async function runPhases(
  work: ClaimedWork,
  faculty: Faculty,
  control: FocusControl,
  reach: FocusBeginning & FocusReach,
): Promise<{ readonly end: FocusEnd; readonly focus: Focus | null }> {
  let focus: Focus | null = null;
  let phase: Phase = 'orient';
  try {
    focus = await begin(work, faculty, control, reach);
    const elsewhere = await askForProvider(focus);
    if (elsewhere !== null) return { end: elsewhere, focus };
    const recorded = await orient(focus);
    phase = await enter(focus, 'engage', focus.row.resumes > 0);
    const engaged = await ENGAGE_MODES[focus.faculty.engage.mode](focus, recorded);
    if (engaged.kind !== 'done') return { end: engaged, focus };
    // Without a hook it is over at once, and recorded with the end.
    phase = await enter(focus, 'consolidate', focus.faculty.consolidate !== null);
    return { end: await withFailedWrites(await consolidate(focus, engaged), focus), focus };
  } catch (error) {
    return { end: endOfError(error, control, focus?.faculty ?? faculty, phase), focus };
  } finally {
    await focus?.unsent.giveBack();
  }
}

async function begin(
  work: ClaimedWork,
  loaded: Faculty,
  control: FocusControl,
  reach: FocusBeginning & FocusReach,
): Promise<Focus> {
  const faculty = asAsked(loaded, work);
  await using opened = new AsyncDisposableStack();
  await reach.lease.sure();
  const toolset = await openToolset(reach.toolSources, faculty);
  opened.defer(() => toolset.close());
  const answer = await answerOf(work, reach);
  const sees = asksModel(faculty.engage) ? modelSees(faculty, toolset, reach, answer !== null) : NO_MODEL;
  const settings = { facultySnapshot: faculty, ...sees };
  const atOnce = answer === null ? await beginWithRequest(work, faculty, settings, reach) : null;
  const { host, directoryRoot } = reach;
  const recorded =
    atOnce?.row ??
    (answer && (await continueAnswer(work, faculty, answer, reach))) ??
    (await startFocus(reach.db, work, { host, directoryRoot, ...settings }));
  const key = { workItemId: work.id, leaseToken: work.leaseToken, focusId: recorded.id };
  const unsent = createUnsentTurn(reach.db, key, reach.lease);
  if (atOnce?.first.begun?.permit === 'go' && atOnce.first.begun.reservation !== null) unsent.begins(1);
  opened.defer(() => unsent.giveBack());
  // The path is computed here and not read from the database, because the directory is created, chowned and removed. A
  // focus that began with an external command has no prompt either.
  const path = join(directoryRoot, answer === null ? recorded.id : conversationDirectory(answer));
  const row = { ...recorded, directory: path, ...(recorded.systemPrompt === '' && sees) };
  // A new focus begins with the faculty as it is now.
  const goesOn = row.resumes > 0 || Boolean(answer?.before);
  const recordedAs = goesOn ? asBegun(faculty, row.facultySnapshot) : faculty;
  const kept = reach.models.kept(recordedAs);
  const begun = 'changed' in kept ? recordedAs : kept.faculty;
  if ('lost' in kept) warnOfLost(kept.lost, key, reach);
  if (row.resumes > 0) reach.deadline.ranBefore(await readRunningMs(reach.db, row.id, FAILURE_NOTICE));
  const place = await openWorkspace({ work, key, row, answer, toolset }, begun, control, reach);
  const isolation = hostIsolation(begun, reach.isolation);
  const home = focusHome({ directory: path, faculty: begun, isolation, goesOn, log: reach.log });
  const tell = (piece: LivePiece) => tellWatchers(reach.db, key, piece);
  const texts = createTextTeller(row.number, tell, reach.clock);
  const printed = createOutputTeller(row.number, async (piece) => (await tell(piece)) !== null, reach.clock);
  const written = tallyWrites(toolset);
  const emit = (event: FocusEventBody) => {
    written.take(event);
    texts.take(event);
    printed.take(event);
    if (event.type === 'ledger') {
      count('work.ledger.entries', 1, { faculty: work.faculty, entry_type: event.entryType });
    }
    reach.onEvent({ ...event, workItemId: work.id, faculty: work.faculty });
  };
  emit({ type: 'state', state: 'running', focus: row.number, resumed: row.resumes > 0, note: null });
  opened.move();
  return {
    work,
    faculty: begun,
    loaded: faculty,
    changedProvider: 'changed' in kept ? kept.changed : null,
    toolset,
    row,
    first: atOnce?.first ?? null,
    unsent,
    answer,
    key,
    ...place,
    home,
    control,
    reach,
    emit,
    written,
    answerUnderWay: () => texts.underWay(),
    stopTelling: async () => void (await Promise.all([texts.stop(), printed.stop()])),
  };
}

/** The item may ask for turns in batches, or live, whatever its faculty says. A batch has no service tier. */
function asAsked(faculty: Faculty, { batch }: Pick<ClaimedWork, 'batch'>): Faculty {
  if (batch === null) return faculty;
  return { ...faculty, engage: { ...faculty.engage, batch, ...(batch && { serviceTier: null }) } };
}

/** `record`: it is not recorded otherwise; the first message of a focus records that engage begins. */
async function enter(focus: Focus, phase: Phase, record: boolean): Promise<Phase> {
  focus.control.signal.throwIfAborted();
  if (record) await setPhase(focus.reach.db, focus.key, phase);
  focus.emit({ type: 'phase', phase });
  return phase;
}

const NO_MODEL = { systemPrompt: '', tools: [] } as const;

function deadlineMessage({ runDeadlineSeconds }: Faculty): string {
  return `not done within run_deadline_seconds (${runDeadlineSeconds} s); all that it had started was stopped`;
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
