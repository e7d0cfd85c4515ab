/** A run that the daemon waits for, and what becomes of it if the supervisor dies. */
import type { ProcessResult } from '../process-host.ts';
import { NOT_STARTED } from '../supervisor/supervised-run.ts';
import { killRun } from '../trace/kill-run.ts';
import type { RunTrace } from '../trace/run-trace.ts';
import type { LaunchStreams } from './launch-streams.ts';
import type { SupervisorEnd } from './supervisor-link.ts';

/** A run that has not been reported as ended. */
export interface PendingRun {
  readonly startedAt: number;
  trace: RunTrace;
  /** Of a launched process. */
  readonly streams?: LaunchStreams;
  settle(result: ProcessResult): void;
}

/** Kills the processes of a run whose supervisor has ended, and settles it. */
export async function cutOff(run: PendingRun, { started, detail }: SupervisorEnd): Promise<void> {
  const durationMs = () => performance.now() - run.startedAt;
  if (!started) {
    const problem = `the process supervisor cannot be started: ${detail}`;
    return run.settle({ ...NOT_STARTED, ended: 'unavailable', problem, durationMs: durationMs() });
  }
  const left = await killRun(run.trace);
  const fate = run.trace.pgid === null ? 'the command, if it had started, was killed' : 'the command was killed';
  const leftOver = left.length > 0 ? `; could not be killed: process ${left.join(', ')}` : '';
  const problem = `the process supervisor ended (${detail}) and ${fate}${leftOver}`;
  run.settle({ ...NOT_STARTED, ended: 'interrupted', problem, durationMs: durationMs() });
}
