/**
 * Runs git for the daemon: on given directories only, under the supervisor, isolated like a tool, and without starting any other program.
 */
import { AnimusError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import type { Lease } from '../../core/lifecycle/lease.ts';
import type { FileRule } from '../../process/file-rules.ts';
import { findProgram } from '../../process/find-program.ts';
import { runsAsOwner } from '../../process/isolation.ts';
import type { Isolation, ProcessHost, ProcessOwner } from '../../process/process-host.ts';
import { harmlessEnvironment } from './harmless.ts';

export interface GitRunner {
  readonly processes: ProcessHost;
  readonly owner: ProcessOwner;
  readonly isolation: Isolation;
  readonly fileRules: readonly FileRule[];
  readonly signal: AbortSignal;
}

/** What a git that changes a repository needs beside that. `lease`: of the work whose repository it is. */
export type GitWriter = GitRunner & { readonly clock: Clock; readonly lease: Lease };

/** What git works on. Git discovers nothing by itself: a `.git` that an agent wrote must not select the configuration. */
export interface GitPlace {
  readonly gitDir: string;
  readonly commonDir: string;
  /** Null for commands that need no files. */
  readonly workTree: string | null;
  /** Configuration that switches off the programs named in the repository's own: filters, hooks. See `filtersOff`. */
  readonly off: readonly Setting[];
}

/** A key of git's configuration with its value. */
export type Setting = readonly [key: string, value: string];

export interface GitResult {
  readonly ok: boolean;
  readonly stdout: string;
  /** The output was truncated. */
  readonly cut: boolean;
  readonly stderr: string;
}

/** A checkout of a large repository can be slow. */
const TIMEOUT_MS = 300_000;
/** Lists of paths; as many as a repository with 100,000 files has. */
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;

/** What a call of git is given beside its arguments. */
export interface GitInput {
  readonly stdin?: string;
  /** Added to its environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs git; returns a failure of git as a value. Errors: `worktree.failed` when git did not finish. */
export async function runGit(
  place: GitPlace,
  args: readonly string[],
  git: GitRunner,
  input: GitInput = {},
): Promise<GitResult> {
  const path = process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';
  const directory = place.workTree ?? place.gitDir;
  const result = await git.processes.run(
    {
      owner: git.owner,
      command: findProgram('git', path, '/') ?? 'git',
      args: ['--no-pager', '-C', directory, ...args],
      // Git runs as its owner where commands run as another user.
      cwd: runsAsOwner(git.isolation) ? directory : '/',
      env: { PATH: path, ...environmentOf(place), ...input.env },
      ...(input.stdin !== undefined && { stdin: input.stdin }),
      timeoutMs: TIMEOUT_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      isolation: git.isolation,
      fileRules: git.fileRules,
    },
    git.signal,
  );
  git.signal.throwIfAborted();
  if (result.ended === 'interrupted' || result.ended === 'unavailable')
    throw new AnimusError('process.interrupted', { command: `git ${args[0]}`, detail: result.problem });
  if (result.ended !== 'exit') {
    const why = result.problem ?? result.ended;
    throw new AnimusError('worktree.failed', {
      repo: directory,
      detail: `git ${args[0]} did not finish: ${why}`,
    });
  }
  const { text: stdout, truncated: cut } = result.stdout;
  return { ok: result.exitCode === 0, stdout, cut, stderr: result.stderr.text.trim() };
}

function environmentOf({ gitDir, commonDir, workTree, off }: GitPlace): Record<string, string> {
  return {
    ...harmlessEnvironment(gitDir, off),
    GIT_COMMON_DIR: commonDir,
    ...(workTree !== null && { GIT_WORK_TREE: workTree }),
    ...committer({ name: 'animus', email: 'animus@localhost' }),
  };
}

/** The variables by which git learns who commits. */
export function committer({ name, email }: { readonly name: string; readonly email: string }): Record<string, string> {
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
}
