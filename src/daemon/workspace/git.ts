/** Runs git for the daemon: under the supervisor, isolated like a tool, with nothing of the user's or the repository's own programs. */
import { AnimusError } from '../../core/errors/errors.ts';
import type { FileRule } from '../../process/file-rules.ts';
import { findProgram } from '../../process/find-program.ts';
import { runsAsOwner } from '../../process/isolation.ts';
import type { Isolation, ProcessHost, ProcessOwner } from '../../process/process-host.ts';

export interface GitMeans {
  readonly processes: ProcessHost;
  readonly owner: ProcessOwner;
  readonly isolation: Isolation;
  readonly fileRules: readonly FileRule[];
  readonly signal: AbortSignal;
}

export interface GitResult {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** A checkout of a large repository takes its time. */
const TIMEOUT_MS = 300_000;
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

/**
 * What a repository's configuration could make git run: an agent may have written it. Filters named by attributes remain;
 * they can do no more than the agent's own shell, whose isolation this shares.
 */
const HARMLESS = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  // The operator named the repository; whoever owns it.
  ['safe.directory', '*'],
  ['gc.auto', '0'],
  ['advice.detachedHead', 'false'],
].flatMap(([key, value]) => ['-c', `${key}=${value}`]);

/** Runs git in `directory`; a failure of git is a value. Errors: `worktree.failed` where git did not run to its end. */
export async function runGit(directory: string, args: readonly string[], means: GitMeans): Promise<GitResult> {
  const path = process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';
  const result = await means.processes.run(
    {
      owner: means.owner,
      command: findProgram('git', path, '/') ?? 'git',
      args: [...HARMLESS, '-C', directory, ...args],
      // Its owner is whom git runs as where commands run as another user.
      cwd: runsAsOwner(means.isolation) ? directory : '/',
      env: {
        PATH: path,
        HOME: '/nonexistent',
        LANG: 'C',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_TERMINAL_PROMPT: '0',
        GIT_AUTHOR_NAME: 'animus',
        GIT_AUTHOR_EMAIL: 'animus@localhost',
        GIT_COMMITTER_NAME: 'animus',
        GIT_COMMITTER_EMAIL: 'animus@localhost',
      },
      timeoutMs: TIMEOUT_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      isolation: means.isolation,
      fileRules: means.fileRules,
    },
    means.signal,
  );
  means.signal.throwIfAborted();
  if (result.ended === 'interrupted' || result.ended === 'unavailable')
    throw new AnimusError('process.interrupted', { command: `git ${args[0]}`, detail: result.problem });
  if (result.ended !== 'exit') {
    const why = result.problem ?? result.ended;
    throw new AnimusError('worktree.failed', {
      repo: directory,
      detail: `git ${args[0]} did not run to its end: ${why}`,
    });
  }
  return { ok: result.exitCode === 0, stdout: result.stdout.text, stderr: result.stderr.text.trim() };
}
