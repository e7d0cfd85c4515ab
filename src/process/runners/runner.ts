/**
 * The port to a runner: one way to run a command, with its requirements, how it starts, how it is killed and what it
 * hides.
 */
import type { FileRule } from '../file-rules.ts';
import type { User } from './as-user.ts';

/** What is to run. */
export interface RunRequest {
  /** Absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Files of the host that are hidden or read-only; a runner that cannot do that relies on file modes. */
  readonly fileRules?: readonly FileRule[];
  /** Processes and threads at once; a runner whose runs the kernel can count apart lets it refuse the next one. */
  readonly maxTasks: number;
}

/** A command line that starts a run; its last step waits at the start gate with the pipe that it got as descriptor 3. */
export interface StartLine {
  readonly command: string;
  readonly args: readonly string[];
  /** False where the host has no `sh` to wait at a gate: the command starts at once. */
  readonly gated: boolean;
  /** Whom it runs as, where that is another user than this process. */
  readonly user?: User;
}

/** One file per runner beside this one, one line in `runners.ts`. */
export interface Runner {
  /** Three parts of a sentence for people: «commands run {apart}: {hides}; {leaves}». */
  readonly words: { readonly apart: string; readonly hides: string; readonly leaves: string };
  /** Tries it on this host: null when it works, otherwise what it needs. Never rejects. */
  examine(): Promise<string | null>;
  /** Why it cannot run the foci of this ANIMUS_HOME, else null. */
  homeProblem(home: string): string | null;
  /** Why it cannot start a command in this directory, else null. */
  placeProblem(directory: string): string | null;
  /** The command line that starts the command; a string is the reason why there is none. */
  start(request: RunRequest): StartLine | string;
  /** True where the kernel kills everything that a run has started as soon as its leader has ended. */
  readonly diesWithLeader: boolean;
  /** True where a command runs as the owner of the directory it starts in. */
  readonly runsAsOwner: boolean;
}
