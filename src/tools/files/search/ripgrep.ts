/** Runs ripgrep, which comes with animus, in the isolation of the focus. It alone decides what matches. */
import type { Readable } from 'node:stream';
import type { ToolContext } from '../../tool.ts';
import { type Refusal, refuse } from '../refusal.ts';
import { type Notes, readNotes } from './notes.ts';
import { type SearchPlace, withoutHidden } from './place.ts';
import { records } from './records.ts';

/** One run. */
export interface Run {
  readonly place: SearchPlace;
  readonly args: readonly string[];
  /** Paths below the place to look at, even if they are ignored; default: the place. */
  readonly paths?: readonly string[];
  /** A text that is searched instead of files. */
  readonly stdin?: string;
  readonly separator: '\n' | '\0';
  readonly limitMs: number;
  /** Takes one record of the output. False: enough was found. */
  readonly take: (record: string) => boolean;
}

/** How a run ended, and what ripgrep said beside the output. `enough`: `take` wanted no more. */
export interface RunEnd extends Notes {
  readonly ended: 'finished' | 'enough' | 'timeout';
}

type Host = Pick<ToolContext, 'processes' | 'workItemId' | 'signal'>;

/** No configuration of a user or a repository, no colours; hidden files; binary files as text; `--debug` says what is ignored. */
const ALWAYS = [
  '--no-config',
  '--color=never',
  '--hidden',
  '--no-mmap',
  '--debug',
  '--no-require-git',
  '--no-ignore-global',
  '--glob=!**/.git',
];

/** Runs ripgrep. A refusal says why it could not run, or what it did not understand. */
export async function ripgrep(run: Run, host: Host): Promise<RunEnd | Refusal> {
  const program = await ripgrepPath();
  if (program === null)
    return refuse(
      `there is no ripgrep for ${process.platform}-${process.arch}: npm did not install the optional package ` +
        '@vscode/ripgrep, or has none for this platform. Use bash, with find and grep',
    );
  const { place, limitMs } = run;
  const launched = host.processes.launch(
    {
      owner: host.workItemId,
      command: program,
      args: [...ALWAYS, ...withoutHidden(place), ...run.args, '--', ...targets(run)],
      cwd: place.directory,
      env: {},
      isolation: place.isolation,
      fileRules: place.fileRules,
      stdin: run.stdin === undefined ? 'none' : 'pipe',
      timeoutMs: limitMs,
    },
    host.signal,
  );
  launched.stdin?.end(run.stdin);
  const notes = readNotes(launched.stderr);
  const isEnough = await takeAll(launched.stdout, run);
  if (isEnough) void launched.stop();
  const [end, said] = await Promise.all([launched.exited, notes]);
  host.signal.throwIfAborted();
  if (isEnough) return { ended: 'enough', ...said };
  if (end.ended === 'timeout') return { ended: 'timeout', ...said };
  if (end.ended === 'exit' && end.exitCode !== null && end.exitCode <= 2) {
    return end.exitCode === 2 && said.refused !== null ? refuse(said.refused) : { ended: 'finished', ...said };
  }
  return refuse(`the search failed: ${end.problem ?? `ripgrep ended with ${end.signal ?? end.exitCode ?? end.ended}`}`);
}

let path: Promise<string | null> | null = null;

/** Where the program is; null if the package for this platform is missing. */
function ripgrepPath(): Promise<string | null> {
  path ??= import('@vscode/ripgrep').then(
    ({ rgPath }) => rgPath,
    // Its only error.
    () => null,
  );
  return path;
}

function targets({ place, paths, stdin }: Run): readonly string[] {
  if (stdin !== undefined) return ['-'];
  return paths ?? [place.file === null ? '.' : `./${place.file}`];
}

async function takeAll(stdout: Readable, { separator, take }: Run): Promise<boolean> {
  for await (const record of records(stdout, separator)) if (!take(record)) return true;
  return false;
}
