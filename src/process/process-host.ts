/**
 * The port to child processes. Everything that animus spawns (bash, hooks) runs under a small supervisor process. The
 * supervisor outlives the daemon just long enough to kill the processes that the daemon started.
 */
import type { Service } from '../core/lifecycle/service.ts';
import type { FileRule } from './file-rules.ts';
import type { ProcessLimits } from './limits/limits.ts';
import type { Isolation } from './runners/runners.ts';

export type { Isolation };

/** The owner of processes: a focus. All its processes share one deadline and end together. */
export type ProcessOwner = string;

export interface ProcessHost extends Service {
  /**
   * Runs a command until it exits and returns its output. Never rejects because of what the command does. When it
   * returns, no process of the command's group is alive, including background processes.
   */
  run(spec: ProcessSpec, signal: AbortSignal): Promise<ProcessResult>;
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

export interface ProcessSpec {
  readonly owner: ProcessOwner;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The complete environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly timeoutMs: number;
  /** Per stream. The start and the end are kept, the middle is dropped. */
  readonly maxOutputBytes: number;
  /** Which runner starts it; `uid` runs it as the owner of `cwd`, which must not be root. */
  readonly isolation: Isolation;
  /**
   * Which files of the host are hidden from the command or read-only, even for root in its own namespace. Only the runner
   * `namespace` can do this, with mounts; the others ignore the rules (`uid` relies on file modes). If a hidden path does
   * not exist, the command is not started; other rules for missing paths are ignored.
   */
  readonly fileRules?: readonly FileRule[];
}

export interface ProcessResult {
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
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
  readonly durationMs: number;
  /** Why it did not start, or what else the caller should know (what ended it, which processes could not be killed); else null. */
  readonly problem: string | null;
}

export interface CapturedOutput {
  /** UTF-8 with invalid bytes replaced. If the output was too long, a note replaces the middle. */
  readonly text: string;
  readonly bytes: number;
  readonly truncated: boolean;
}
