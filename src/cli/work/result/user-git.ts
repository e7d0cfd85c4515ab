/** Runs the user's git, with the user's configuration, in a directory of the user. */
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../../core/config/source/environment.ts';
import { AnimusError, messageOf } from '../../../core/errors/errors.ts';

/** Where git runs: never in a directory that an agent could write to, whose configuration names programs. */
export interface UserGit {
  readonly directory: string;
  readonly env: Environment;
  /** Ends a git that changes nothing that anybody sees. */
  readonly signal: AbortSignal;
}

/** How git ended. */
export interface GitAnswer {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

interface GitInput {
  readonly stdin?: string | Buffer;
  readonly variables?: Readonly<Record<string, string>>;
}

const INTERRUPTED = 128 + constants.signals.SIGINT;

/** Runs git and returns how it ended. Errors: `process.spawn`, `interrupted`. */
export async function runGit(
  git: UserGit,
  args: readonly string[],
  { stdin = '', variables = {} }: GitInput = {},
): Promise<GitAnswer> {
  if (git.signal.aborted) throw new AnimusError('interrupted');
  const child = spawn('git', argsOf(git, args), { env: { ...environmentOf(git.env), ...variables }, stdio: 'pipe' });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => stdout.push(part));
  child.stderr.on('data', (part: Buffer) => stderr.push(part));
  // Git may end without reading all of it; its exit code says what that means.
  child.stdin.on('error', () => undefined).end(stdin);
  const end = () => void child.kill('SIGTERM');
  git.signal.addEventListener('abort', end, { once: true });
  try {
    const code = await exitOf(child);
    // Ctrl-C reaches git, too, and its end may be seen before the own signal.
    if (git.signal.aborted || code === INTERRUPTED) throw new AnimusError('interrupted');
    return { code, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() };
  } finally {
    git.signal.removeEventListener('abort', end);
  }
}

/** The text of a git that has to succeed, without the newline at its end. Errors: `worktree.git`, and those of `runGit`. */
export async function readGit(git: UserGit, args: readonly string[], input: GitInput = {}): Promise<string> {
  const { code, stdout, stderr } = await runGit(git, args, input);
  if (code !== 0) throw gitError(git, args, stderr);
  return stdout.toString().replace(/\n$/, '');
}

/**
 * Runs the one git that changes a checkout. It cannot be stopped half-way: Ctrl-C does not reach it, and it goes on if this process is killed. Errors:
 * `worktree.git`, `process.spawn`; also `interrupted`, if that was asked before it began.
 */
export async function runLastGit(
  git: UserGit,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  if (git.signal.aborted) throw new AnimusError('interrupted');
  const scratch = mkdtempSync(join(tmpdir(), 'animus-git-'));
  // A file, not a pipe: writing into the pipe of a killed process would end git.
  const said = openSync(join(scratch, 'said'), 'w');
  try {
    const env = { ...environmentOf(git.env), ...variables };
    const child = spawn('git', argsOf(git, args), { env, stdio: ['ignore', said, said], detached: true });
    if ((await exitOf(child)) !== 0) throw gitError(git, args, readFileSync(join(scratch, 'said'), 'utf8'));
  } finally {
    closeSync(said);
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Runs git in the terminal of the command: its pager, its colours, its tools. Ctrl-C is for it. Returns its exit code. Errors: `process.spawn`. */
export async function showGit(
  git: UserGit,
  args: readonly string[],
  passInterrupts: () => () => void,
): Promise<number> {
  const takeBack = passInterrupts();
  const child = spawn('git', argsOf(git, args), { env: environmentOf(git.env), stdio: 'inherit' });
  const end = () => void child.kill('SIGTERM');
  git.signal.addEventListener('abort', end, { once: true });
  try {
    return await exitOf(child);
  } finally {
    git.signal.removeEventListener('abort', end);
    takeBack();
  }
}

/** Errors: `worktree.git`. */
export function gitError(
  { directory }: Pick<UserGit, 'directory'>,
  args: readonly string[],
  stderr: string,
): AnimusError {
  const detail = stderr.trim().replace(/^(fatal|error): /, '') || 'it said nothing';
  return new AnimusError('worktree.git', {
    command: args.find((word) => !word.startsWith('-')) ?? '',
    directory,
    detail,
  });
}

/** `-C` is taken as it is: a directory whose name begins with a dash comes as an absolute path. */
function argsOf({ directory }: UserGit, args: readonly string[]): string[] {
  return ['-C', directory, ...args];
}

/** Where a repository is, the directory says, whatever a hook or a script around this command has set. */
const OF_ONE_REPOSITORY = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_COMMON_DIR',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_NAMESPACE',
  'GIT_PREFIX',
  'GIT_GRAFT_FILE',
  'GIT_SHALLOW_FILE',
  'GIT_REPLACE_REF_BASE',
];

function environmentOf(env: Environment): Record<string, string> {
  const kept = Object.entries(env).filter(([name, value]) => value !== undefined && !OF_ONE_REPOSITORY.includes(name));
  return Object.fromEntries(kept) as Record<string, string>;
}

/** As shells count: a signal is 128 and its number. */
function exitOf(child: ReturnType<typeof spawn>): Promise<number> {
  return new Promise((ended, failed) => {
    child.once('error', (error) => failed(spawnError(error)));
    child.once('close', (code, signal) => ended(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}

function spawnError(error: unknown): AnimusError {
  const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
  const detail = missing ? 'it is not installed, not on the PATH, or the directory is gone' : messageOf(error);
  return new AnimusError('process.spawn', { command: 'git', detail }, { cause: error });
}
