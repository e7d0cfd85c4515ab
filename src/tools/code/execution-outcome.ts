/** The outcome of a work item that runs code: how it ended, and what it printed, returned and left. JSON, with names in snake_case. */
import type { CapturedText, Execution } from '../../sandbox/sandbox.ts';
import type { ContainedRun, KeptFile } from './contained-run.ts';

/** What the outcome says. Fields that have nothing to say are left out. */
export interface ExecutionOutcome {
  /** As of a process: 0 is success; 124 after the time-out, 137 after a limit. */
  readonly exit_status: number;
  readonly ended: 'exited' | 'timeout' | 'limit';
  /** What the code returned, as JSON. */
  readonly value?: unknown;
  /** Of code that raised an exception, or was interrupted. */
  readonly traceback?: string;
  readonly problem?: string;
  readonly note?: string;
  /** Up to 64 KiB as it is; of more, the first and the last 16,384 characters. */
  readonly stdout: string;
  readonly stdout_bytes: number;
  /** There if `stdout` is not all of it, or not exactly it: the artifact with its first 10 MiB. */
  readonly stdout_artifact?: string;
  readonly stderr: string;
  readonly stderr_bytes: number;
  readonly stderr_artifact?: string;
  /** What it left in `out/`. */
  readonly files: readonly OutcomeFile[];
  readonly duration_ms: number;
}

interface OutcomeFile {
  readonly name: string;
  readonly bytes: number;
  /** There if it was kept; else `problem` says why not. */
  readonly artifact_id?: string;
  readonly problem?: string;
}

/** Artifacts beside those of `out/`, by what they hold. */
export type WholeParts = Readonly<Partial<Record<'stdout' | 'stderr' | 'value', KeptFile['kept']>>>;

/** How an execution ended that did not happen, or of which it is not known what it did. */
export type NotExited = 'killed' | 'unavailable';

/** What of each stream stands in the outcome. */
const SHOWN_BYTES = 65_536;

/** The outcome of code or of a command that ended by itself, at its time-out or at a limit. */
export function executionOutcome(
  { execution, files, durationMs }: ContainedRun,
  isCommand: boolean,
  whole: WholeParts,
): ExecutionOutcome {
  const { traceback, problem, value, stdout, stderr } = execution;
  const notes = [execution.note, ...Object.entries(whole).map(notKept)].filter((note) => note !== undefined);
  const stdoutId = idOf(whole.stdout);
  const stderrId = idOf(whole.stderr);
  return {
    exit_status: exitStatus(execution, isCommand),
    ended: execution.ended === 'timeout' || execution.ended === 'limit' ? execution.ended : 'exited',
    ...(!isCommand && value !== null && whole.value === undefined && { value: JSON.parse(value) as unknown }),
    ...(!isCommand && traceback !== undefined && { traceback }),
    ...(problem !== undefined && { problem }),
    ...(notes.length > 0 && { note: notes.join('; ') }),
    stdout: shown(stdout),
    stdout_bytes: stdout.bytes,
    ...(stdoutId !== undefined && { stdout_artifact: stdoutId }),
    stderr: shown(stderr),
    stderr_bytes: stderr.bytes,
    ...(stderrId !== undefined && { stderr_artifact: stderrId }),
    files: files.map(({ file, kept }) => ({ name: file.name, bytes: file.bytes.length, ...artifactOf(kept) })),
    duration_ms: Math.round(durationMs),
  };
}

/** Whether the outcome shows a stream whole. */
export function isShownWhole({ bytes }: CapturedText): boolean {
  return bytes <= SHOWN_BYTES;
}

function exitStatus({ ended, value, exitStatus: status }: Execution, isCommand: boolean): number {
  switch (ended) {
    case 'returned':
      return isCommand ? Number(value) : 0;
    case 'raised':
      return status ?? 1;
    case 'timeout':
      return 124;
    default:
      return 137;
  }
}

/** The sandbox has kept more of it. */
function shown({ text, bytes }: CapturedText): string {
  if (bytes <= SHOWN_BYTES) return text;
  const [head, tail] = [text.slice(0, SHOWN_BYTES / 4), text.slice(-SHOWN_BYTES / 4)];
  const left = bytes - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return `${head.toWellFormed()}\n[… ${left} bytes left out …]\n${tail.toWellFormed()}`;
}

function idOf(kept: KeptFile['kept'] | undefined): string | undefined {
  return kept !== undefined && 'artifactId' in kept ? kept.artifactId : undefined;
}

function artifactOf(kept: KeptFile['kept']): Pick<OutcomeFile, 'artifact_id' | 'problem'> {
  return 'problem' in kept ? { problem: kept.problem } : { artifact_id: kept.artifactId };
}

function notKept([part, kept]: [string, KeptFile['kept']]): string | undefined {
  if ('problem' in kept) return `${part} was not kept whole: ${kept.problem}`;
  return part === 'value' ? `the value is long: it is the artifact ${kept.artifactId}` : undefined;
}
