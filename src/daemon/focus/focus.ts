/** One focus: orient → engage → consolidate, recover on failure, and how its end is settled. The top function reads as its steps. */
import type { Faculty } from '../../catalog/faculty.ts';
import { AnimusError, isAnimusError, messageOf } from '../../core/errors/errors.ts';
import { CALL_GATES } from '../../engage/calls/gates.ts';
import { createJournal } from '../../engage/calls/journal.ts';
import type { FocusEventBody } from '../../engage/events/events.ts';
import { createTextTeller } from '../../engage/events/live-text.ts';
import { engage } from '../../engage/loop.ts';
import { systemPrompt } from '../../engage/prompt/prompt.ts';
import { FAILURE_NOTICE } from '../../engage/verdict/attempt.ts';
import type { EngageDone, EngageEnd } from '../../engage/verdict/engage-end.ts';
import { outcomeInstruction } from '../../engage/verdict/outcome.ts';
import { isFailureOfTheWorld } from '../../llm/client.ts';
import { type Phase, readRunningMs, setPhase, startFocus } from '../../store/transcript/focus-row.ts';
import { tellText } from '../../store/transcript/live-text.ts';
import type { ClaimedWork } from '../../store/work/work.ts';
import { span } from '../../telemetry/spans.ts';
import { toolSpecs } from '../../tools/registry.ts';
import type { ModelSource } from '../models/focus-model.ts';
import { consolidate } from './consolidate.ts';
import { engageExternally } from './external-engage.ts';
import { abortReason, type FocusControl } from './focus-control.ts';
import type { FocusEnd } from './focus-end.ts';
import { type Focus, type FocusMeans, spanKey } from './focus-scope.ts';
import { openWorkspace } from './focus-workspace.ts';
import { orient } from './orient.ts';
import { recover } from './recover.ts';
import { releaseDelaySeconds } from './recovery.ts';

/** Runs one focus, recovering where it failed. Never rejects: whatever happens is an end. */
export async function attempt(
  work: ClaimedWork,
  faculty: Faculty,
  control: FocusControl,
  means: FocusMeans,
): Promise<{ readonly end: FocusEnd; readonly focus: Focus | null }> {
  const { end, focus } = await runPhases(work, faculty, control, means);
  if (focus === null || end.kind !== 'failed') return { end, focus };
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
  means: FocusMeans,
): Promise<{ readonly end: FocusEnd; readonly focus: Focus | null }> {
  let focus: Focus | null = null;
  let phase: Phase = 'orient';
  try {
    focus = await begin(work, faculty, control, means);
    await orient(focus);
    phase = await enter(focus, 'engage');
    const engaged = await engagePhase(focus);
    if (engaged.kind !== 'done') return { end: engaged, focus };
    phase = await enter(focus, 'consolidate');
    return { end: await consolidate(focus, engaged), focus };
  } catch (error) {
    return { end: endOfError(error, control, focus?.faculty ?? faculty, phase), focus };
  }
}

async function begin(work: ClaimedWork, faculty: Faculty, control: FocusControl, means: FocusMeans): Promise<Focus> {
  const row = await startFocus(means.db, work, {
    host: means.host,
    directoryRoot: means.directoryRoot,
    facultySnapshot: faculty,
    ...(faculty.engage.external ? NO_MODEL : modelSees(faculty, means)),
  });
  const snapshot = row.facultySnapshot as unknown as Faculty;
  const key = { workItemId: work.id, leaseToken: work.leaseToken, focusId: row.id };
  if (row.resumes > 0) means.deadline.ranBefore(await readRunningMs(means.db, row.id, FAILURE_NOTICE));
  const { workspace, worktree } = await openWorkspace(key, row, snapshot, control, means);
  const texts = createTextTeller(row.number, (piece) => tellText(means.db, key, piece), means.clock);
  const emit = (event: FocusEventBody) => {
    texts.take(event);
    means.onEvent({ ...event, workItemId: work.id, faculty: work.faculty });
  };
  emit({ type: 'focus_started', focusId: row.id, number: row.number, resumed: row.resumes > 0 });
  return {
    work,
    faculty: snapshot,
    row,
    key,
    workspace,
    worktree,
    control,
    means,
    emit,
    texts,
  };
}

async function enter(focus: Focus, phase: Phase): Promise<Phase> {
  focus.control.signal.throwIfAborted();
  await setPhase(focus.means.db, focus.key, phase);
  focus.emit({ type: 'phase', phase });
  return phase;
}

/** What the focus's requests begin with, fixed for its life. */
function modelSees(faculty: Faculty, means: FocusMeans) {
  const { name, engage: settings } = faculty;
  return {
    systemPrompt:
      systemPrompt({ name, systemPrompt: settings.systemPrompt }) + outcomeInstruction(settings.outcomeSchema),
    tools: toolSpecs(means.toolsOf(faculty)),
  };
}

const NO_MODEL = { systemPrompt: '', tools: [] } as const;

async function engagePhase(focus: Focus): Promise<FocusEnd | EngageDone> {
  const { external } = focus.faculty.engage;
  return external ? engageExternally(focus, external) : endOfEngage(await engageFocus(focus), focus.means.models);
}

function engageFocus(focus: Focus): Promise<EngageEnd> {
  const { means, faculty, control, key, work } = focus;
  const settings = faculty.engage;
  const tools = means.toolsOf(faculty);
  return span('work.engage', { ...spanKey(focus), 'gen_ai.request.model': settings.model }, () =>
    engage({
      db: means.db,
      focus: key,
      model: means.models.forFocus(faculty, key.focusId),
      faculty: work.faculty,
      systemPrompt: focus.row.systemPrompt,
      toolSpecs: focus.row.tools,
      toolset: tools,
      gates: CALL_GATES,
      journal: createJournal(means.db, key),
      maxTurns: settings.maxTurns,
      outcomeSchema: settings.outcomeSchema,
      bounds: {
        compactThreshold: settings.compactThreshold,
        compactKeepRecent: settings.compactKeepRecent,
        ledgerNudgeInterval: settings.ledgerNudgeInterval,
        truncateClosedBlocks: settings.truncateClosedBlocks,
      },
      maxParallelTools: settings.maxParallelTools,
      signal: control.signal,
      drain: control.drain,
      onEvent: focus.emit,
      callScope: {
        ...key,
        faculty: work.faculty,
        workspace: focus.workspace,
        timeoutMs: settings.toolTimeoutSeconds * 1000,
        processes: means.processes,
        isolation: settings.bashIsolation ?? means.isolation,
        hidePaths: means.hidePaths,
      },
    }),
  );
}

/** The loop's end as the focus's end; `done` goes on to consolidate. */
function endOfEngage(end: EngageEnd, models: ModelSource): FocusEnd | EngageDone {
  switch (end.kind) {
    case 'done':
      return end;
    case 'cancelled':
    case 'parked':
      return end;
    case 'interrupted':
      return { kind: 'released', delaySeconds: 0, reason: end.reason, holdFaculty: false };
    case 'failed':
      return { kind: 'failed', error: { code: `engage.${end.code}`, message: end.message, phase: 'engage' } };
    case 'model_failed': {
      const { failure } = end;
      const reason = models.explain(failure);
      if (isFailureOfTheWorld(failure)) {
        const delaySeconds = releaseDelaySeconds(failure.retryAfterMs, Math.random());
        return { kind: 'released', delaySeconds, reason, holdFaculty: true };
      }
      return { kind: 'failed', error: { code: `llm.${failure.kind}`, message: reason, phase: 'engage' } };
    }
  }
}

function deadlineMessage({ runDeadlineSeconds }: Faculty): string {
  return `not done within run_deadline_seconds (${runDeadlineSeconds} s); all that it had started was stopped`;
}

/** What a thrown error means. An aborted focus ends by its abort reason, whatever was thrown on the way out. */
function endOfError(error: unknown, control: FocusControl, faculty: Faculty, phase: Phase): FocusEnd {
  const reason = abortReason(control);
  switch (reason) {
    case 'lease_lost':
      return { kind: 'lost' };
    case 'cancelled':
      return { kind: 'cancelled' };
    case 'shutdown':
      return { kind: 'released', delaySeconds: 0, reason: 'the daemon was stopped', holdFaculty: false };
    case 'deadline':
      return { kind: 'failed', error: { code: 'focus.deadline', message: deadlineMessage(faculty), phase } };
    case null:
      break;
    default:
      return reason satisfies never;
  }
  if (isAnimusError(error, 'work.lease_lost')) return { kind: 'lost' };
  if (isAnimusError(error, 'db.unreachable')) {
    return { kind: 'released', delaySeconds: 0, reason: messageOf(error), holdFaculty: false };
  }
  const code = error instanceof AnimusError ? error.code : 'internal.bug';
  return { kind: 'failed', error: { code, message: messageOf(error), phase } };
}
