/**
 * The port to child processes. Everything animus spawns (bash, hooks) runs under a small supervisor process, which
 * outlives the daemon just long enough to kill what the daemon started.
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
   * Runs a command to its end and returns what it printed; never rejects for what the command does. When it returns, no
   * process of the command's group is alive, background ones included.
   */
  run(spec: ProcessSpec, signal: AbortSignal): Promise<ProcessResult>;
  /**
   * The owner's processes are killed when this many milliseconds pass without a further call: the remaining
   * lease. Once it has passed, the owner's runs are refused until it is renewed. `killAll` forgets it.
   */
  setDeadline(owner: ProcessOwner, ms: number): void;
  /**
   * Limits what the owner's processes may use together, from the next run on; default 2 GiB and 1,024 processes and
   * threads. When they use more, the run that uses most is killed: `limit`. `killAll` forgets it.
   */
  setLimits(owner: ProcessOwner, limits: ProcessLimits): void;
  /** Kills everything the owner has running and resolves when it is gone. */
  killAll(owner: ProcessOwner): Promise<void>;
}

export interface ProcessSpec {
  readonly owner: ProcessOwner;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly timeoutMs: number;
  /** Per stream; head and tail are kept, the middle is dropped. */
  readonly maxOutputBytes: number;
  /** Which runner starts it; `uid` runs it as the owner of `cwd`, which must not be root. */
  readonly isolation: Isolation;
  /**
   * What of the host's files the command finds hidden or read-only, even as root of its own namespace. Only `namespace` can
   * do this, by mounts; the others do not look at it (with `uid` the modes of the files do). With a hidden path that is not
   * there the command is not started; other rules for what is not there are passed over.
   */
  readonly fileRules?: readonly FileRule[];
}

export interface ProcessResult {
  /**
   * The first cause. `limit`: it used too much. `aborted`: by the caller's signal or `killAll`. `not_started`: the command, or its working
   * directory, could not be used. `interrupted`: an external failure, not the command's: its supervisor died, or the deadline of its owner
   * passed; whether it ran, and how far, is unknown. `unavailable`: the same, and nothing ran: no supervisor could be started, the host was
   * out of processes. With `namespace` a command that died of signal N is an `exit` of 128+N, as shells say it.
   */
  readonly ended: 'exit' | 'signal' | 'timeout' | 'limit' | 'aborted' | 'interrupted' | 'unavailable' | 'not_started';
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
  readonly durationMs: number;
  /** Why it did not start, or what else the caller should know (who ended it, what could not be killed), else null. */
  readonly problem: string | null;
}

export interface CapturedOutput {
  /** UTF-8, invalid bytes replaced; with the middle replaced by a note where it was too long. */
  readonly text: string;
  readonly bytes: number;
  readonly truncated: boolean;
}
