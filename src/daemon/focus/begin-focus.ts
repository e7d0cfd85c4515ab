/** Begins a focus: records it, and opens the place it works in, its tools, and what reports it to watchers. */
import { join } from 'node:path';
import { asksModel, type Faculty } from '../../catalog/faculty/faculty.ts';
import type { FocusEventBody } from '../../engage/events/events.ts';
import { createOutputTeller } from '../../engage/events/output-teller.ts';
import { createTextTeller } from '../../engage/events/text-teller.ts';
import { createUnsentTurn } from '../../engage/turn/unsent-turn.ts';
import { FAILURE_NOTICE } from '../../engage/verdict/attempt.ts';
import type { AnswerStart } from '../../store/conversations/answer-start.ts';
import { type LivePiece, tellWatchers } from '../../store/events/live/live-pieces.ts';
import { type FocusKey, type FocusRow, readRunningMs, startFocus } from '../../store/transcript/focus-row.ts';
import type { FocusSettings } from '../../store/transcript/focus-settings.ts';
import type { ClaimedWork } from '../../store/work/work.ts';
import { count } from '../../telemetry/metrics.ts';
import { openToolset, type Toolset } from '../../tools/source.ts';
import { modelSees } from './engage/built-in-engage.ts';
import { answerOf, continueAnswer, conversationDirectory } from './orient/continue-focus.ts';
import { beginWithRequest } from './orient/first-request.ts';
import { warnOfLost } from './scope/ask-for-model.ts';
import { asBegun } from './scope/begun-faculty.ts';
import type { FocusControl } from './scope/focus-control.ts';
import type { FirstRequest, Focus, FocusBeginning, FocusReach, FocusRun } from './scope/focus-scope.ts';
import { openWorkspace } from './scope/focus-workspace.ts';
import type { RunDeadline } from './scope/run-deadline.ts';
import { tallyWrites } from './scope/written-tally.ts';

/** What may end the focus from outside. */
export interface Claimed {
  readonly control: FocusControl;
  readonly deadline: RunDeadline;
}

const NO_MODEL = { systemPrompt: '', tools: [] } as const;

/**
 * Begins the focus, or goes on with the one that was interrupted, and opens what it works with. What was opened is closed again where that
 * fails.
 */
export async function beginFocus(
  work: ClaimedWork,
  loaded: Faculty,
  { control, deadline }: Claimed,
  beginning: FocusBeginning,
  reach: FocusReach,
): Promise<Focus> {
  const faculty = asAsked(loaded, work);
  await using opened = new AsyncDisposableStack();
  await reach.lease.sure();
  const toolset = await openToolset(beginning.toolSources, faculty);
  opened.defer(() => toolset.close());
  const answer = await answerOf(work, reach);
  const sees = asksModel(faculty.engage) ? modelSees(faculty, toolset, reach, answer !== null) : NO_MODEL;
  const { recorded, first } = await record(work, faculty, answer, sees, beginning, reach);
  const key = { workItemId: work.id, leaseToken: work.leaseToken, focusId: recorded.id };
  const unsent = createUnsentTurn(reach.db, key, reach.lease);
  if (first?.begun?.permit === 'go' && first.begun.reservation !== null) unsent.begins(1);
  opened.defer(() => unsent.giveBack());
  // The path is computed here and not read from the database, because the directory is created, chowned and removed. A
  // focus that began with an external command has no prompt either.
  const directory = join(beginning.directoryRoot, answer === null ? recorded.id : conversationDirectory(answer));
  const row = { ...recorded, directory, ...(recorded.systemPrompt === '' && sees) };
  // A new focus begins with the faculty as it is now.
  const goesOn = row.resumes > 0 || Boolean(answer?.before);
  const recordedAs = goesOn ? asBegun(faculty, row.facultySnapshot) : faculty;
  const kept = reach.models.kept(recordedAs);
  const begun = 'changed' in kept ? recordedAs : kept.faculty;
  if ('lost' in kept) warnOfLost(kept.lost, key, reach);
  if (row.resumes > 0) deadline.ranBefore(await readRunningMs(reach.db, row.id, FAILURE_NOTICE));
  const place = await openWorkspace({ work, key, row, answer, toolset }, begun, control, reach);
  const told = tellOf(work, key, row, toolset, beginning.onEvent, reach);
  told.emit({ type: 'state', state: 'running', focus: row.number, resumed: row.resumes > 0, note: null });
  opened.move();
  const changedProvider = 'changed' in kept ? kept.changed : null;
  const run = { control, first, unsent, toolset, place, ...told };
  return { work, faculty: begun, loaded: { faculty, changedProvider }, key, row, answer, run, reach };
}

/** Begins it in one statement with its first request, if that is made from the item alone; otherwise begins only the focus. */
async function record(
  work: ClaimedWork,
  faculty: Faculty,
  answer: AnswerStart | null,
  sees: Pick<FocusSettings, 'systemPrompt' | 'tools'>,
  beginning: FocusBeginning,
  reach: FocusReach,
): Promise<{ readonly recorded: FocusRow; readonly first: FirstRequest | null }> {
  const settings = { facultySnapshot: faculty, ...sees };
  const atOnce = answer === null ? await beginWithRequest(work, faculty, settings, beginning, reach) : null;
  if (atOnce !== null) return { recorded: atOnce.row, first: atOnce.first };
  const place = { host: reach.host.name, directoryRoot: beginning.directoryRoot };
  const continued = answer && (await continueAnswer(work, faculty, answer, place, reach));
  return { recorded: continued ?? (await startFocus(reach.db, work, { ...place, ...settings })), first: null };
}

/** What the run reports: to watchers in this and in other processes, and to its end. */
function tellOf(
  work: ClaimedWork,
  key: FocusKey,
  { number }: FocusRow,
  toolset: Toolset,
  onEvent: FocusBeginning['onEvent'],
  { db, clock }: FocusReach,
): Pick<FocusRun, 'emit' | 'written' | 'telling'> {
  const tell = (piece: LivePiece) => tellWatchers(db, key, piece);
  const texts = createTextTeller(number, tell, clock);
  const printed = createOutputTeller(number, async (piece) => (await tell(piece)) !== null, clock);
  const written = tallyWrites(toolset);
  const emit = (event: FocusEventBody) => {
    written.take(event);
    texts.take(event);
    printed.take(event);
    if (event.type === 'ledger') {
      count('work.ledger.entries', 1, { faculty: work.faculty, entry_type: event.entryType });
    }
    onEvent({ ...event, workItemId: work.id, faculty: work.faculty });
  };
  const stop = async () => void (await Promise.all([texts.stop(), printed.stop()]));
  return { emit, written, telling: { underWay: () => texts.underWay(), stop } };
}

/** The item may ask for turns in batches, or live, whatever its faculty says. A batch has no service tier. */
function asAsked(faculty: Faculty, { batch }: Pick<ClaimedWork, 'batch'>): Faculty {
  if (batch === null) return faculty;
  return { ...faculty, engage: { ...faculty.engage, batch, ...(batch && { serviceTier: null }) } };
}
