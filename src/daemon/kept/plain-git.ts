/** Runs git for what happens to worktrees after their work: in the operator's repository only, without any program that a configuration or an agent names. */
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { AnimusError, messageOf } from '../../core/errors/errors.ts';
import { harmlessEnvironment } from '../git/harmless.ts';

/** How git ended. */
export interface GitEnd {
  readonly ok: boolean;
  readonly stdout: string;
  /** The last line of what it said about a failure. */
  readonly problem: string;
}

/** What a call of git gets beside its arguments. */
export interface GitInput {
  readonly stdin?: string;
  /** Variables that select a checkout or an index of its own. */
  readonly variables?: Readonly<Record<string, string>>;
}

const TIMEOUT_MS = 120_000;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Runs git on a git directory, as the user that owns it where this process is root. A failure of git is a value. Errors: `worktree.failed` when git did
 * not run or did not finish.
 */
export function plainGit(
  gitDir: string,
  args: readonly string[],
  { stdin = '', variables = {} }: GitInput = {},
): Promise<GitEnd> {
  const env = {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    ...harmlessEnvironment(gitDir),
    ...variables,
  };
  const failed = (detail: string, cause?: unknown) =>
    new AnimusError('worktree.failed', { repo: gitDir, detail }, { cause });
  return new Promise((resolve, reject) => {
    let owner: { readonly uid?: number; readonly gid?: number };
    try {
      owner = ownerOf(gitDir);
    } catch (error) {
      return reject(failed(messageOf(error), error));
    }
    const options = {
      cwd: gitDir,
      env,
      ...owner,
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL' as const,
      maxBuffer: MAX_BYTES,
    };
    const child = execFile('git', ['--no-pager', ...args], options, (error, stdout, stderr) => {
      const problem = stderr.trim().split('\n').at(-1) ?? '';
      if (error === null || typeof error.code === 'number') resolve({ ok: error === null, stdout, problem });
      else
        reject(failed(`git ${args[0]} did not finish: ${error.killed ? 'it took too long' : messageOf(error)}`, error));
    });
    // Git may end without reading all of it; its exit code says what that means.
    child.stdin?.on('error', () => undefined).end(stdin);
  });
}

/** Refs and objects that root wrote would be in the way of the repository's owner. */
function ownerOf(directory: string): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const { uid, gid } = statSync(directory);
  return uid === 0 ? {} : { uid, gid };
}
