/** Runs a focus from claim to end: attempt, settlement, clean-up and observation. */
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { DaemonConfig, RetentionConfig } from '../../core/config/sections/daemon.ts';
import { messageOf } from '../../core/errors/errors.ts';
import { failedWritesOf, failedWritesText } from '../../core/work/failed-writes.ts';
import type { ProcessLimits } from '../../process/limits/limits.ts';
import { patientDatabase } from '../../store/sql/patient-database.ts';
import type { WorkCompleter } from '../../store/work/claimed/work-completer.ts';
import type { ClaimedWork } from '../../store/work/work.ts';
import type { Log } from '../../telemetry/log.ts';
import { count, record } from '../../telemetry/metrics.ts';
import { type ActiveSpan, span } from '../../telemetry/spans.ts';
import { attempt } from './focus.ts';
import type { FocusControl } from './scope/focus-control.ts';
import { type EndWriter, type FocusEnd, type Settled, settle } from './scope/focus-end.ts';
import type { Focus, FocusBeginning, FocusReach } from './scope/focus-scope.ts';
import { closeWorkspace } from './scope/focus-workspace.ts';
import { killOnCancel } from './scope/kill-on-cancel.ts';
import { leasedProcesses } from './scope/leased-processes.ts';
import { startRunDeadline } from './scope/run-deadline.ts';

/** What the daemon gives to run a focus, beyond what its phases may reach. */
export interface FocusDaemon {
  readonly beginning: FocusBeginning;
  readonly leaseSeconds: number;
  /** Now: resource limits of a focus's commands when its faculty sets none, and how long files of ended foci are kept. */
  readonly settings: () => {
    readonly daemon: Pick<DaemonConfig, 'focusMaxMemoryMib' | 'focusMaxProcesses'>;
    readonly retention: Pick<RetentionConfig, 'directoriesDays'>;
  };
  readonly completer: WorkCompleter;
  readonly ends: EndWriter['ends'];
  /** Claims nothing more for the faculty for that long, and reports it. */
  readonly holdFaculty: (faculty: string, seconds: number, reason: string) => Promise<void>;
  /** The faculty's provider works again. */
  readonly workedOn: (faculty: string) => Promise<void>;
}

/** Runs one focus to its end and leaves nothing of it on this host. Never rejects because of what the focus does. */
export async function runFocus(
  work: ClaimedWork,
  faculty: Faculty,
  control: FocusControl,
  reach: FocusReach,
  daemon: FocusDaemon,
): Promise<'parked' | 'ended'> {
  const attributes = {
    'work.id': work.id,
    'work.faculty': work.faculty,
    'work.skill': work.skill,
    'work.source': work.source,
    'work.priority': work.priority,
    'work.parent_id': work.parentId,
    'work.attempt': work.attempts + 1,
  };
  const execute = async (executing: ActiveSpan<'work.execute'>) => {
    const { clock, lease } = reach;
    const { processes } = reach.host;
    const startedMs = clock.monotonicMs();
    const deadline = startRunDeadline(faculty.runDeadlineSeconds, control, clock);
    // Covers the time until the first heartbeat: a daemon that freezes right after the claim must not leave processes
    // behind either.
    const leaseMs = daemon.leaseSeconds * 1000;
    processes.setDeadline(work.id, 0.9 * leaseMs);
    processes.setLimits(work.id, limitsOf(faculty, daemon.settings().daemon));
    try {
      const db = patientDatabase(reach.db, { clock, signal: control.signal, forMs: leaseMs, longestPauseMs: 200 });
      const phasesOver = killOnCancel(work.id, control, processes, clock);
      const host = { ...reach.host, processes: leasedProcesses(processes, lease) };
      const claimed = { control, deadline };
      const { end: reached, focus } = await attempt(work, faculty, claimed, daemon.beginning, { ...reach, db, host });
      await focus?.run.telling.stop();
      await focus?.run.toolset.close();
      await phasesOver();
      // Before the end is written: afterwards another daemon may own the item.
      await processes.killAll(work.id);
      const held = await lease.sure().then(
        () => true,
        () => false,
      );
      const closed: FocusEnd = !held ? { kind: 'lost' } : focus ? await closeWorkspace(reached, focus) : reached;
      // People have read it.
      const ending =
        closed.kind === 'cancelled' ? { ...closed, cutOff: focus?.run.telling.underWay() ?? null } : closed;
      if (ending.kind === 'completed') control.ending();
      control.settle();
      const { end, state } = await settle(ending, work, faculty, {
        db: reach.db,
        completer: daemon.completer,
        clock,
        log: reach.log,
        giveUpAfterMs: leaseMs,
        lease,
        ends: daemon.ends,
        focusId: focus?.key.focusId ?? null,
      });
      if (end.kind === 'released' && end.holdFaculty) {
        await daemon.holdFaculty(work.faculty, end.delaySeconds, end.reason);
      } else if (end.kind === 'completed' || end.kind === 'parked') {
        await daemon.workedOn(work.faculty);
      }
      // That of a conversation is for its next answer.
      if (focus?.answer === null && isOver(end, state)) {
        await leaveDirectory(focus, daemon.settings().retention);
        await focus.run.place.home.remove();
      }
      executing.set({ 'work.focus_id': focus?.key.focusId, 'work.focus_ended_as': end.kind, 'work.state': state });
      if (end.kind === 'failed') executing.fail(end.error.code);
      report(end, state, work, focus, reach.log, daemon.beginning.onEvent);
      record('work.focus.duration', clock.monotonicMs() - startedMs, {
        faculty: work.faculty,
        ended_as: end.kind,
      });
      return end.kind === 'parked' ? 'parked' : 'ended';
    } finally {
      await deadline.stop();
    }
  };
  return span('work.execute', attributes, execute, { root: true, links: [work.traceContext] });
}

/** From the faculty as loaded now, never from the snapshot in the database. */
function limitsOf(faculty: Faculty, daemon: ReturnType<FocusDaemon['settings']>['daemon']): ProcessLimits {
  return {
    memoryBytes: (faculty.maxMemoryMib ?? daemon.focusMaxMemoryMib) * 2 ** 20,
    processes: faculty.maxProcesses ?? daemon.focusMaxProcesses,
  };
}

/**
 * A focus that was released or lost, or whose transcript is kept, may resume on this host and needs its directory. So does one whose end could
 * not be recorded (null): to the database it is open, and another daemon here may be working in it already.
 */
function isOver(end: FocusEnd, state: Settled['state']): boolean {
  if (state === null) return false;
  if (end.kind === 'failed') return end.recovery?.keep !== 'transcript' || state === 'dead' || state === 'cancelled';
  if (end.kind === 'completed') return state !== 'queued';
  return end.kind === 'cancelled' || (end.kind === 'released' && state === 'dead');
}

/** Removes it, or says where its files are. */
async function leaveDirectory(
  { run, row, key, reach: { log } }: Focus,
  { directoriesDays }: Pick<RetentionConfig, 'directoriesDays'>,
): Promise<void> {
  const fields = { work_item_id: key.workItemId, focus_id: key.focusId, directory: row.directory };
  try {
    if (await run.place.directory.remove(directoriesDays > 0))
      log.info(fields, 'the files that the focus left in its directory are kept');
  } catch (error) {
    log.warn({ ...fields, error: messageOf(error) }, 'the directory of the focus could not be removed');
  }
}

function report(
  end: FocusEnd,
  state: Settled['state'],
  work: ClaimedWork,
  focus: Focus | null,
  log: Log,
  onEvent: FocusBeginning['onEvent'],
): void {
  const fields = { work_item_id: work.id, focus_id: focus?.key.focusId, faculty: work.faculty, state };
  const reason = reasonOf(end, state);
  const isBad =
    end.kind === 'failed' || end.kind === 'lost' || state === 'dead' || (state === 'completed' && reason !== null);
  if (isBad) log.warn({ ...fields, reason }, `focus ${end.kind}`);
  else log.info({ ...fields, ...(reason !== null && { reason }) }, `focus ${end.kind}`);
  if (state === null) return;
  count('work.state_transitions', 1, { faculty: work.faculty, from: 'running', to: state });
  const focusNumber = focus?.row.number ?? null;
  onEvent({
    type: 'state',
    state,
    focus: focusNumber,
    resumed: false,
    note: reason,
    workItemId: work.id,
    faculty: work.faculty,
  });
}

function reasonOf(end: FocusEnd, state: Settled['state']): string | null {
  switch (end.kind) {
    case 'completed':
      if (state === 'queued') return 'messages came before the work ended: it goes on with them';
      return failedWritesReason(end.outcome);
    case 'failed':
      return end.error.message;
    case 'released':
      return end.reason;
    default:
      return null;
  }
}

function failedWritesReason(outcome: unknown): string | null {
  const failed = failedWritesOf(outcome);
  return failed === null ? null : failedWritesText(failed);
}
