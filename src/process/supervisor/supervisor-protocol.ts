/** The messages between the daemon and its supervisor over their IPC channel; one JSON object per message. */

import type { ProcessLimits } from '../limits/limits.ts';
import type { LaunchSpec, ProcessOwner, ProcessResult, ProcessSpec } from '../process-host.ts';
import type { User } from '../runners/user.ts';

/** Messages from the daemon, which chooses the ids. They are unique for the life of one supervisor. */
export type ToSupervisor =
  | (Start & { readonly type: 'run'; readonly spec: ProcessSpec })
  | (Start & { readonly type: 'launch'; readonly spec: LaunchSpec })
  /** Bytes for the standard input of a launched process, in base64; `written` or `input_closed` answers. Null closes it. */
  | { readonly type: 'input'; readonly id: number; readonly data: string | null }
  /** The reader has taken this many bytes of a stream, so that the supervisor may send as many more. */
  | { readonly type: 'taken'; readonly id: number; readonly stream: OutputStream; readonly bytes: number }
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'deadline'; readonly owner: ProcessOwner; readonly at: HostMoment }
  | { readonly type: 'limits'; readonly owner: ProcessOwner; readonly limits: ProcessLimits }
  | { readonly type: 'kill_all'; readonly id: number; readonly owner: ProcessOwner }
  | { readonly type: 'stop' };

interface Start {
  readonly id: number;
  readonly spawnId: string;
  readonly graceMs: number;
}

/** What travels about the streams of a launched process: to the supervisor, and from it. */
export type StreamInput = Extract<ToSupervisor, { type: 'input' | 'taken' }>;
export type StreamOutput = Extract<FromSupervisor, { type: 'output' | 'written' | 'input_closed' }>;

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
  /** Bytes in base64, in the order in which they were printed; all come before `ended`. */
  | { readonly type: 'output'; readonly id: number; readonly stream: OutputStream; readonly data: string }
  | { readonly type: 'written'; readonly id: number }
  /** The process has closed its input; nothing more can be written. */
  | { readonly type: 'input_closed'; readonly id: number }
  /** Of a launched process, the result contains no output. */
  | { readonly type: 'ended'; readonly id: number; readonly result: ProcessResult }
  | { readonly type: 'killed'; readonly id: number };

/** The output streams of a launched process. */
export type OutputStream = 'stdout' | 'stderr';

/** How many bytes of one stream may be on their way, before the reader has taken them. */
export const STREAM_WINDOW_BYTES = 256 * 1024;

/**
 * Returns milliseconds of the host's monotonic clock. It is the same in every process of the host, so a deadline means the
 * same moment on both sides, no matter how long its message took. The clock stops while the machine is suspended.
 */
export function hostMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/** A moment on the monotonic clock of the host (`hostMs`) and on its wall clock, which goes on while the machine sleeps but may be set. */
export interface HostMoment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** The moment so many milliseconds from now. */
export function hostMoment(inMs: number): HostMoment {
  return { monotonicMs: hostMs() + inMs, wallMs: Date.now() + inMs };
}
