/**
 * The port to containers. Every container that animus starts is held by a small keeper process, which destroys it when
 * its owner's deadline passes or the daemon is gone.
 */
import type { Readable, Writable } from 'node:stream';
import type { Service } from '../core/lifecycle/service.ts';
import type { LaunchedProcess } from '../process/process-host.ts';

/** The owner of containers: a focus. All its containers share one deadline and end together. Empty: nobody yet. */
export type ContainerOwner = string;

export interface ContainerHost extends Service {
  /**
   * Creates and starts a container and holds its streams. Rejects with `sandbox.unreachable`, `sandbox.image_missing`,
   * `sandbox.no_space` or `sandbox.refused`, and with the signal's reason as soon as
   * it is aborted; what was started is destroyed then.
   */
  launch(spec: ContainerSpec, signal: AbortSignal): Promise<HeldContainer>;
  /**
   * Destroys the owner's containers unless it is called again within this many milliseconds (the remaining time of the
   * lease), also while this process is frozen. After the deadline, `launch` is refused until it is renewed.
   */
  setDeadline(owner: ContainerOwner, ms: number): void;
  /** Destroys all containers of the owner and clears its deadline. Resolves when they are gone, after 10 s at most. */
  killAll(owner: ContainerOwner): Promise<void>;
  /** Why the engine does not answer, with the remedy; null if it does, or if only its client can tell. Cheap. Never rejects. */
  ping(): Promise<string | null>;
  /** What the engine says about itself and about an image. Never rejects. */
  health(image: string): Promise<EngineHealth>;
}

/** A container to be started. It never has capabilities, more privileges than it starts with, or a writable root. */
export interface ContainerSpec {
  readonly owner: ContainerOwner;
  readonly image: string;
  /** Empty: what the image runs. Its first process must end at the end of its standard input. */
  readonly command: readonly string[];
  /** Added to what the image sets; nothing of the daemon's. */
  readonly env: Readonly<Record<string, string>>;
  /** `uid` or `uid:gid`, never 0. */
  readonly user: string;
  readonly workdir: string;
  readonly limits: ContainerLimits;
  /** Writable directories in memory, which counts as the container's. */
  readonly tmpfs: readonly TmpfsMount[];
  /** Directories of the engine's host. */
  readonly mounts: readonly ContainerMount[];
  readonly network: 'none' | { readonly name: string };
  /** Puts a small init of the engine's before the command, which reaps orphaned processes; default false. */
  readonly init?: boolean;
  /** An OCI runtime that the engine knows, such as `runsc`; default the engine's own. */
  readonly runtime?: string;
}

/** What a container may use at most. */
export interface ContainerLimits {
  /** There is no swap beyond it. */
  readonly memoryBytes: number;
  /** Processors; fractions are allowed. */
  readonly cpus: number;
  /** Processes and threads. */
  readonly pids: number;
  /** Of a single file. */
  readonly fileBytes: number;
}

export interface TmpfsMount {
  readonly path: string;
  readonly bytes: number;
  /** Whether programs in it may be run; default false. */
  readonly exec?: boolean;
}

export interface ContainerMount {
  /** Absolute, on the host of the engine. */
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

/** A running container. Its streams never emit `error`; they end with it. While nobody reads one of them, the other may stop, too. */
export interface HeldContainer {
  readonly id: string;
  /** Closing it closes the standard input of the container's first process, which then ends. */
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when it is gone, or can no longer be observed; never rejects. */
  readonly exited: Promise<ContainerEnd>;
  /** True when the kernel has killed a process in it for lack of memory. */
  outOfMemory(): boolean;
  /** Asks the engine whether it runs and can still be spoken with; false if the engine does not answer within 3 s. Never rejects. */
  lives(): Promise<boolean>;
  /**
   * Runs another program in it. Never throws; `exited` says why it did not start. At its end, whatever it has left is killed (but
   * with `keepsRest`): its process group, and what carries its mark in the environment.
   */
  exec(spec: ContainerExec): LaunchedProcess;
  /** Gives it to an owner, whose deadline counts from now on. */
  adopt(owner: ContainerOwner): void;
  /** Destroys it, with its files. Resolves when it is gone, after 10 s at most; idempotent. */
  destroy(): Promise<void>;
}

/** How a container ended. */
export interface ContainerEnd {
  /** `exited` by itself; `destroyed` by us; `expired`: its owner's deadline passed; `lost`: the engine or the keeper went away. */
  readonly ended: 'exited' | 'destroyed' | 'expired' | 'lost';
  /** Null if unknown. 137 after SIGKILL. */
  readonly exitCode: number | null;
  /** Why it was lost, and what else is worth knowing; else null. */
  readonly problem: string | null;
}

/** A program to run in a container that runs. The image must have `/bin/sh`. */
export interface ContainerExec {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly stdin: 'pipe' | 'none';
  /** Default: none. */
  readonly timeoutMs?: number;
  /** True: what it leaves behind is somebody else's to kill. Default false. */
  readonly keepsRest?: boolean;
}

/** The state of the engine. */
export interface EngineHealth {
  /** Its address. */
  readonly where: string;
  /** Null: it does not answer. */
  readonly engine: EngineFacts | null;
  /** Why a container cannot be started, with the remedy; null: it can. */
  readonly problem: string | null;
  /** What makes containers weaker or slower than they could be. */
  readonly remarks: readonly string[];
  readonly image: { readonly name: string; readonly present: boolean };
  /** Containers that carry our label: all of this engine, and those of this daemon. */
  readonly containers: { readonly all: number; readonly own: number };
}

export interface EngineFacts {
  readonly version: string;
  readonly os: string;
  readonly runtimes: readonly string[];
  readonly cgroupVersion: string;
}
