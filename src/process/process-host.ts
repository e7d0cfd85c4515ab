/**
 * The port to child processes. Everything animus spawns (bash, hooks) goes through a small supervisor process that
 * outlives the daemon just long enough to kill what the daemon started.
 */
import type { Service } from '../core/lifecycle/service.ts';

/** Owner of processes: a focus. All of its processes share one deadline and one end. */
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
  /**
   * `namespace`: own user, PID and mount namespaces (Linux); `uid`: as the owner of `cwd`, which must not be root, without
   * privileges (a daemon that is root); `none`: only a process group and a scrubbed environment.
   */
  readonly isolation: Isolation;
  /**
   * Files and directories that the command cannot open, even as root of its own namespace: they are mounted over. Only
   * `namespace` can do this, the others do not look at it (with `uid` the modes of the files do); a path that does not exist is passed over.
   */
  readonly hidePaths?: readonly string[];
}

/** How far a command is kept from its host; docs/hooks.md says what each does and does not protect against. */
export type Isolation = 'namespace' | 'uid' | 'none';

export interface ProcessResult {
  /**
   * The first cause: `aborted` by the caller's signal, `killAll` or a passed owner deadline; `not_started` means that the
   * command did not run at all. With `namespace` a command that died of signal N is an `exit` of 128+N, as shells say it.
   */
  readonly ended: 'exit' | 'signal' | 'timeout' | 'aborted' | 'not_started';
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
