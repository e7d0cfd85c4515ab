/** The messages between the daemon and its keeper over their IPC channel; one JSON object per message. */

import type { EngineAddress } from '../../core/config/sections/engine-address.ts';
import type { ErrorDetails } from '../../core/errors/error-details.ts';
import type { ErrorCode } from '../../core/errors/error-table.ts';
import type { HostMoment, StreamInput, StreamOutput } from '../../process/supervisor/supervisor-protocol.ts';
import type { ContainerEnd, ContainerExec, ContainerOwner, ContainerSpec, EngineHealth } from '../container-host.ts';

/** Messages from the daemon, which chooses the ids; containers and programs in them share one series. The first is `open`. */
export type ToKeeper =
  | { readonly type: 'open'; readonly address: EngineAddress; readonly marks: Marks }
  | { readonly type: 'launch'; readonly id: number; readonly spec: ContainerSpec }
  | { readonly type: 'exec'; readonly id: number; readonly container: number; readonly spec: ContainerExec }
  | { readonly type: 'stop_exec'; readonly id: number }
  | StreamInput
  /** Also of a container that is being started. */
  | { readonly type: 'destroy'; readonly id: number; readonly container: number }
  | { readonly type: 'lives'; readonly id: number; readonly container: number }
  | { readonly type: 'adopt'; readonly id: number; readonly owner: ContainerOwner }
  | { readonly type: 'deadline'; readonly owner: ContainerOwner; readonly at: HostMoment }
  | { readonly type: 'kill_all'; readonly id: number; readonly owner: ContainerOwner }
  | { readonly type: 'health'; readonly id: number; readonly image: string; readonly runtime: string | null }
  /** Removes what dead daemons have left: these, and those that can be seen to be dead from here. */
  | { readonly type: 'reap'; readonly dead: readonly string[] }
  | { readonly type: 'stop' };

/** Messages from the keeper. */
export type FromKeeper =
  | { readonly type: 'started'; readonly id: number; readonly container: string }
  | { readonly type: 'failed'; readonly id: number; readonly code: ErrorCode; readonly details: ErrorDetails }
  | StreamOutput
  | { readonly type: 'out_of_memory'; readonly id: number }
  | { readonly type: 'ended'; readonly id: number; readonly end: ContainerEnd }
  | { readonly type: 'exec_ended'; readonly id: number; readonly end: ExecEnd }
  /** Answers `destroy` and `kill_all`. */
  | { readonly type: 'gone'; readonly id: number }
  | { readonly type: 'lives'; readonly id: number; readonly lives: boolean }
  | { readonly type: 'health'; readonly id: number; readonly health: EngineHealth }
  | { readonly type: 'note'; readonly level: 'info' | 'warn'; readonly message: string; readonly fields: ErrorDetails };

/** How a program in a container ended. */
export interface ExecEnd {
  readonly ended: 'exit' | 'timeout' | 'aborted' | 'interrupted' | 'unavailable' | 'not_started';
  readonly exitCode: number | null;
  readonly problem: string | null;
}

/** Whose containers these are: what their labels say. */
export interface Marks {
  /** The id of the daemon. */
  readonly daemon: string;
  /** The process of the daemon, as `processMark` names it. */
  readonly process: string;
}
