/**
 * The port to a runner: one way to run a command. It defines what the runner requires, how it starts and kills a command,
 * and what it hides.
 */
import type { FileRule } from '../file-rules.ts';
import type { PlaceEntry } from './place.ts';
import type { User } from './user.ts';

/** A command to run. */
export interface RunRequest {
  /** Absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** `LC_ALL` of its environment, if it has one. */
  readonly locale?: string | undefined;
  /** Files of the host to hide or make read-only. A runner that cannot do this relies on file modes. */
  readonly fileRules?: readonly FileRule[];
  /** Number of processes and threads at the same time. If the kernel can count a run's tasks separately, the runner sets this limit there. */
  readonly maxTasks: number;
  /** If the runner gives the run its own shared memory (System V, /dev/shm), it limits each kind to this many bytes. */
  readonly maxMemoryBytes: number;
}

/** A command line that starts a run. Its last step waits at the start gate, which uses the pipe on descriptor 3. */
export interface StartLine {
  readonly command: string;
  readonly args: readonly string[];
  /** Variables for its programs in the place of the command's; it gives the command its own back. */
  readonly env?: Readonly<Record<string, string>>;
  /** False if the host has no `sh`, which the gate needs; the command then starts at once. */
  readonly gated: boolean;
  /** The user it runs as, if that is not the user of this process. */
  readonly user?: User;
  /** What its first step enters. Where that is, or why it is nowhere, it reads as the first line on descriptor 3. */
  readonly place?: PlaceEntry;
  /** An open file that it gets as descriptor 4. */
  readonly file?: number;
  readonly waiting?: WaitingLine;
}

/** A way to start that can begin before the command is known. */
export interface WaitingLine {
  /** The arguments in the place of those of the line: the process that it starts waits for orders. They are the same for all commands that can use it. */
  readonly args: readonly string[];
  /** The orders for the command of the line; null if it has to be started by the line. */
  orders(environment: Readonly<Record<string, string>>, hasText: boolean): string | null;
}

/** A runner. Each has a file in this folder and a line in `runners.ts`. */
export interface Runner {
  /** Three parts of a sentence for people: "commands run {apart}: {hides}; {leaves}". */
  readonly words: { readonly apart: string; readonly hides: string; readonly leaves: string };
  /** Tries it on this host: null when it works, otherwise what it needs. Never rejects. */
  examine(): Promise<string | null>;
  /** The reason why it cannot run the foci of this ANIMUS_HOME; null if it can. */
  homeProblem(home: string): string | null;
  /** The reason why it cannot start a command in this directory; null if it can. */
  placeProblem(directory: string): string | null;
  /** Returns the command line that starts the command, or the reason why it cannot be started. */
  start(request: RunRequest): StartLine | string;
  /** True if the kernel kills all processes of a run as soon as its leader has ended. */
  readonly diesWithLeader: boolean;
  /** True if a command runs as the owner of its working directory. */
  readonly runsAsOwner: boolean;
}
