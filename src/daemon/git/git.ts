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
  /** No other command of git follows soon. */
  readonly isLast?: boolean;
}

/** Commands that only read. Those that are called at the same moment share an entry into the isolation, which costs more than most of them. */
const READS: ReadonlySet<string | undefined> = new Set([
  'config',
  'show-ref',
  'for-each-ref',
  'status',
  'rev-list',
  'diff-tree',
  'diff',
]);

/** A command of git. */
export interface GitCall {
  readonly place: GitPlace;
  readonly args: readonly string[];
  readonly input?: GitInput;
}

/** Runs git; returns a failure of git as a value. Errors: `worktree.failed` when git did not finish. */
export async function runGit(
  place: GitPlace,
  args: readonly string[],
  git: GitRunner,
  input: GitInput = {},
): Promise<GitResult> {
  const call: GitCall = { place, args, input };
  const mayRepeat = READS.has(args[0]) || setsOneRef(args);
  const isAlone = !mayRepeat || Object.keys(input).length > 0;
  return isAlone ? runAlone(call, git) : runGathered(call, git);
}

/** Gives a ref a value, whatever it had: the same when it is done again, and behind a lock of its own. */
export function setsOneRef(args: readonly string[]): boolean {
  return args[0] === 'update-ref' && args.length === 3;
}

async function runAlone({ place, args, input }: GitCall, git: GitRunner): Promise<GitResult> {
  const command = { command: gitProgram(), args: [...before(place), ...args] };
  const env = { ...environmentOf(place), ...input?.env };
  const { exitCode, stdout, stderr } = await runProgram(place, args[0], { ...command, ...input, env }, git);
  return { ok: exitCode === 0, stdout: stdout.text, cut: stdout.truncated, stderr: stderr.text.trim() };
}

/** Where git runs as the owner of a directory, those of one directory. */
const runGathered = gathered<GitRunner, GitCall, GitResult>(
  ({ place }, { isolation }) => (runsAsOwner(isolation) ? directoryOf(place) : ''),
  runGits,
);

/**
 * Runs commands one after the other in one entry into the isolation, also after one that fails. Each must give the same when it is run again, and at most
 * one has a text as its input. Errors: as `runGit`.
 */
export async function runGits(calls: readonly GitCall[], git: GitRunner): Promise<readonly GitResult[]> {
  const [{ place }] = calls as [GitCall];
  const sh = systemProgram('sh');
  if (calls.length === 1 || sh === null) return eachAlone(calls, git);
  const variables = calls.map((call) => ({ ...environmentOf(call.place), ...call.input?.env }));
  const shared = sharedBy(variables);
  const stdin = calls.find(({ input }) => input?.stdin !== undefined)?.input?.stdin;
  const script = oneScript(
    calls.map((call, n) => ({
      words: [gitProgram(), ...before(call.place), ...call.args],
      variables: Object.entries(variables[n]!).filter(([name]) => !(name in shared)),
      reads: call.input?.stdin !== undefined,
    })),
  );
  const names = calls.map(({ args }) => args[0]).join(', ');
  const command = { command: sh, args: ['-c', script.text], env: shared, ...(stdin !== undefined && { stdin }) };
  const { stdout, stderr } = await runProgram(place, names, command, git);
  const outputs = script.outputs(stdout.text, stderr.text);
  // Together they may have written too much, and why a command was killed is known of one alone.
  const isClear =
    !stdout.truncated && !stderr.truncated && outputs.every(({ exitStatus }) => exitStatus <= MOST_OF_GIT);
  if (!isClear) return eachAlone(calls, git);
  return outputs.map(({ exitStatus, ...each }) => ({
    ok: exitStatus === 0,
    stdout: each.stdout,
    cut: false,
    stderr: each.stderr.trim(),
  }));
}

async function eachAlone(calls: readonly GitCall[], git: GitRunner): Promise<readonly GitResult[]> {
  const results: GitResult[] = [];
  for (const call of calls) results.push(await runAlone(call, git));
  return results;
}

/** The variables that have the same value in all environments. */
function sharedBy([first = {}, ...others]: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(first).filter(([name, value]) => others.every((each) => each[name] === value)),
  );
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
  { command, args, stdin, env, isLast }: GitInput & { readonly command: string; readonly args: readonly string[] },
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
      env: { PATH: searchPath(), ...env },
      ...(stdin !== undefined && { stdin }),
      ...(isLast && { isLast }),
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
