/** The messages between the daemon and its supervisor over their IPC channel; one JSON object per message. */

import type { ProcessLimits } from '../limits/limits.ts';
import type { ProcessOwner, ProcessResult, ProcessSpec } from '../process-host.ts';
import type { User } from '../runners/as-user.ts';

/** Messages from the daemon, which chooses the ids. They are unique for the life of one supervisor. */
export type ToSupervisor =
  | {
      readonly type: 'run';
      readonly id: number;
      readonly spawnId: string;
      readonly graceMs: number;
      readonly spec: ProcessSpec;
    }
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'deadline'; readonly owner: ProcessOwner; readonly atMs: number }
  | { readonly type: 'limits'; readonly owner: ProcessOwner; readonly limits: ProcessLimits }
  | { readonly type: 'kill_all'; readonly id: number; readonly owner: ProcessOwner }
  | { readonly type: 'stop' };

/** Messages from the supervisor. `started` carries what the daemon needs to kill the run itself if the supervisor dies. */
export type FromSupervisor =
  | {
      readonly type: 'started';
      readonly id: number;
      readonly pgid: number;
      readonly startTicks: number;
      readonly user?: User;
      readonly cgroup?: string;
    }
  | { readonly type: 'ended'; readonly id: number; readonly result: ProcessResult }
  | { readonly type: 'killed'; readonly id: number };

/**
 * Returns milliseconds of the host's monotonic clock. It is the same in every process of the host, so a deadline means the
 * same moment on both sides, no matter how long its message took. The clock stops while the machine is suspended.
 */
export function hostMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
