/**
 * The port to child processes. Everything that animus spawns (bash, hooks) runs under a small supervisor process. The
 * supervisor outlives the daemon just long enough to kill the processes that the daemon started.
 */
import type { Readable, Writable } from 'node:stream';
import type { Service } from '../core/lifecycle/service.ts';
import type { FileRule } from './file-rules.ts';
import type { ProcessLimits } from './limits/limits.ts';
import type { Isolation } from './runners/runners.ts';

export type { Isolation };

/** The owner of processes: a focus. All its processes share one deadline and end together. */
export type ProcessOwner = string;

export interface ProcessHost extends Service, CommandHost {
  /**
   * Kills the owner's processes unless it is called again within this many milliseconds (the remaining time of the
   * lease). After the deadline, new runs of the owner are refused until it is renewed. `killAll` clears the deadline.
   */
  setDeadline(owner: ProcessOwner, ms: number): void;
  /**
   * Limits the total usage of the owner's processes, from the next run on. Default: 2 GiB of memory, and 1,024 processes
   * and threads. If they exceed it, the run that uses most is killed and ends with `limit`. `killAll` clears the limits.
   */
  setLimits(owner: ProcessOwner, limits: ProcessLimits): void;
  /** Kills all processes of the owner and resolves when they are gone. */
  killAll(owner: ProcessOwner): Promise<void>;
}

/** What runs commands: the supervisor on this host, or the container of a focus. */
export interface CommandHost {
  /**
   * Runs a command until it exits and returns its output. Never rejects because of what the command does. When it
   * returns, no process of the command's group is alive, including background processes.
   */
  run(spec: ProcessSpec, signal: AbortSignal): Promise<ProcessResult>;
  /**
   * Starts a process that talks to the daemon while it runs: a server, a command in the background. The same isolation,
   * limits and deadline apply as to `run`, and `killAll` ends it. Never throws: if it cannot start, `exited` says why.
   * `signal` stops it like `stop`.
   */
  launch(spec: LaunchSpec, signal: AbortSignal): LaunchedProcess;
}

/** What is the same for every process. */
export interface CommandSpec {
  readonly owner: ProcessOwner;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The complete environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Which runner starts it; `uid` runs it as the owner of `cwd`, which must not be root. */
  readonly isolation: Isolation;
  /**
   * Which files of the host are hidden from the command or read-only, even for root in its own namespace. Only the runner
   * `namespace` can do this, with mounts; the others ignore the rules (`uid` relies on file modes). If a hidden path does
   * not exist, the command is not started; other rules for missing paths are ignored.
   */
  readonly fileRules?: readonly FileRule[];
  /** No command like it follows soon, so nothing is prepared for one. Default false. */
  readonly isLast?: boolean;
}

/** A command that runs to its end. */
export interface ProcessSpec extends CommandSpec {
  readonly stdin?: string;
  readonly timeoutMs: number;
  /** Per stream. The start and the end are kept, the middle is dropped. */
  readonly maxOutputBytes: number;
}

/** A process with streams. */
export interface LaunchSpec extends CommandSpec {
  /** `pipe`: the process reads what is written to `LaunchedProcess.stdin`. `none`: its input is empty. */
  readonly stdin: 'pipe' | 'none';
  /** Without it, only the deadline of the owner limits how long it runs. */
  readonly timeoutMs?: number;
}

/**
 * A process that was launched. The streams carry bytes (`setEncoding('utf8')` decodes them, also where a chunk ends within a
 * character). They never emit `error`.
 */
export interface LaunchedProcess {
  /**
   * Null with `stdin: 'none'`. A write completes when the operating system has taken it, so a process that does not read
   * holds the writer back. Writing to a process that has closed its input or ended is reported to the callback of the write.
   */
  readonly stdin: Writable | null;
  /** Everything that the process wrote. While nobody reads, at most 600 KiB are kept and the process is blocked. */
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when no process of the command's group is alive; never rejects. Output that was not read yet can still be read. */
  readonly exited: Promise<ProcessEnd>;
  /** SIGTERM and, after the grace time, SIGKILL, for the whole group. Resolves with `exited`; idempotent. */
  stop(): Promise<ProcessEnd>;
}

/** How a process ended. */
export interface ProcessEnd {
  /**
   * The first cause of the end. `limit`: the command exceeded a resource limit. `aborted`: the caller's signal or `killAll`
   * stopped it. `not_started`: the command or its working directory could not be used. `interrupted`: something other than
   * the command failed (the supervisor died, or the owner's deadline passed), and it is unknown how far the command ran.
   * `unavailable`: something else failed and nothing ran (no supervisor could be started, or the host had no processes
   * left). With `namespace`, a command killed by signal N ends with `exit` and code 128+N, as in a shell.
   */
  readonly ended: 'exit' | 'signal' | 'timeout' | 'limit' | 'aborted' | 'interrupted' | 'unavailable' | 'not_started';
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
  /** Why it did not start, or what else the caller should know (what ended it, which processes could not be killed); else null. */
  readonly problem: string | null;
}

/** The end of a command that ran to its end, and what it printed. */
export interface ProcessResult extends ProcessEnd {
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
}

export interface CapturedOutput {
  /** UTF-8 with invalid bytes replaced. If the output was too long, a note replaces the middle. */
  readonly text: string;
  readonly bytes: number;
  readonly truncated: boolean;
}
