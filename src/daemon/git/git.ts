/**
 * Runs git for the daemon: on given directories only, under the supervisor, isolated like a tool, and without starting any other program.
 */
import { AnimusError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import type { Lease } from '../../core/lifecycle/lease.ts';
import type { FileRule } from '../../process/file-rules.ts';
import { findProgram } from '../../process/find-program.ts';
import { runsAsOwner } from '../../process/isolation.ts';
import type { Isolation, ProcessHost, ProcessOwner, ProcessResult } from '../../process/process-host.ts';
import { systemProgram } from '../../process/runners/start-gate.ts';
import { gathered } from './gathered.ts';
import { harmlessEnvironment } from './harmless.ts';
import { oneScript } from './one-script.ts';

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

/** The highest exit status of git itself: of a wrong call. */
const MOST_OF_GIT = 129;

/** What a call of git is given beside its arguments. */
export interface GitInput {
  readonly stdin?: string;
  /** Added to its environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Commands that only read. Those that are called at the same moment in one place share an entry into the isolation, which costs more than most of them. */
const READS: ReadonlySet<string | undefined> = new Set([
  'config',
  'show-ref',
  'status',
  'rev-list',
  'diff-tree',
  'diff',
]);

/** Runs git; returns a failure of git as a value. Errors: `worktree.failed` when git did not finish. */
export async function runGit(
  place: GitPlace,
  args: readonly string[],
  git: GitRunner,
  input: GitInput = {},
): Promise<GitResult> {
  const call: GitCall = { place, args, input };
  const isAlone = !READS.has(args[0]) || Object.keys(input).length > 0;
  return isAlone ? runAlone(call, git) : runGathered(call, git);
}

interface GitCall {
  readonly place: GitPlace;
  readonly args: readonly string[];
  readonly input: GitInput;
}

async function runAlone({ place, args, input }: GitCall, git: GitRunner): Promise<GitResult> {
  const command = { command: gitProgram(), args: [...before(place), ...args] };
  const { exitCode, stdout, stderr } = await runProgram(place, args[0], { ...command, ...input }, git);
  return { ok: exitCode === 0, stdout: stdout.text, cut: stdout.truncated, stderr: stderr.text.trim() };
}

const runGathered = gathered<GitRunner, GitCall, GitResult>(({ place }) => JSON.stringify(place), runTogether);

async function runTogether(calls: readonly GitCall[], git: GitRunner): Promise<readonly GitResult[]> {
  const alone = () => Promise.all(calls.map((call) => runAlone(call, git)));
  const [{ place }] = calls as [GitCall];
  const sh = systemProgram('sh');
  if (calls.length === 1 || sh === null) return alone();
  const script = oneScript(calls.map(({ args }) => [gitProgram(), ...before(place), ...args]));
  const names = calls.map(({ args }) => args[0]).join(', ');
  const { stdout, stderr } = await runProgram(place, names, { command: sh, args: ['-c', script.text] }, git);
  const outputs = script.outputs(stdout.text, stderr.text);
  // Together they may have written too much, and why a command was killed is known of one alone.
  const isClear =
    !stdout.truncated && !stderr.truncated && outputs.every(({ exitStatus }) => exitStatus <= MOST_OF_GIT);
  if (!isClear) return alone();
  return outputs.map(({ exitStatus, ...each }) => ({
    ok: exitStatus === 0,
    stdout: each.stdout,
    cut: false,
    stderr: each.stderr.trim(),
  }));
}

function before(place: GitPlace): readonly string[] {
  return ['--no-pager', '-C', directoryOf(place)];
}

function directoryOf({ workTree, gitDir }: GitPlace): string {
  return workTree ?? gitDir;
}

function searchPath(): string {
  return process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';
}

function gitProgram(): string {
  return findProgram('git', searchPath(), '/') ?? 'git';
}

/** `name`: of the command of git, for errors. */
async function runProgram(
  place: GitPlace,
  name: string | undefined,
  { command, args, stdin, env }: GitInput & { readonly command: string; readonly args: readonly string[] },
  git: GitRunner,
): Promise<ProcessResult> {
  const directory = directoryOf(place);
  const result = await git.processes.run(
    {
      owner: git.owner,
      command,
      args,
      // Git runs as its owner where commands run as another user.
      cwd: runsAsOwner(git.isolation) ? directory : '/',
      env: { PATH: searchPath(), ...environmentOf(place), ...env },
      ...(stdin !== undefined && { stdin }),
      timeoutMs: TIMEOUT_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      isolation: git.isolation,
      fileRules: git.fileRules,
    },
    git.signal,
  );
  git.signal.throwIfAborted();
  if (result.ended === 'interrupted' || result.ended === 'unavailable')
    throw new AnimusError('process.interrupted', { command: `git ${name}`, detail: result.problem });
  if (result.ended !== 'exit') {
    const why = result.problem ?? result.ended;
    throw new AnimusError('worktree.failed', { repo: directory, detail: `git ${name} did not finish: ${why}` });
  }
  return result;
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
