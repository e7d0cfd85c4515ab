/**
 * Lock files of refs that a git left in the operator's repository when it was killed with its daemon. Git writes no owner into them and never removes
 * those of others, so the refs could never be written again.
 */
import { lstatSync } from 'node:fs';
import { join, relative } from 'node:path';
import { elapsedMs, type Moment, momentOf } from '../../core/lifecycle/clock.ts';
import { whileHeld } from '../../core/lifecycle/lease.ts';
import { findProgram } from '../../process/find-program.ts';
import type { GitPlace, GitWriter } from './git.ts';

/** Git holds the lock of a ref for milliseconds. */
const LEFT_MS = 3000;
/** Refs that only the daemon which holds the work's lease writes, one git after the other. The locks of all others are somebody else's. */
const OURS = /^refs\/(?:heads\/)?animus\//;

/** The locks that one write meets, over its tries. */
export interface LeftLocks {
  /** Removes the lock that git names in this message if it is ours and has stayed the same for three seconds. Errors: `work.lease_lost`. */
  removeNamed(stderr: string): Promise<boolean>;
}

export function watchLocks({ commonDir }: GitPlace, git: GitWriter): LeftLocks {
  const seen = new Map<string, Moment>();
  return {
    async removeNamed(stderr) {
      const lock = /Unable to create '(.+?\.lock)': File exists/s.exec(stderr)?.[1];
      if (lock === undefined || !OURS.test(relative(commonDir, lock))) return false;
      const stat = lstatSync(lock, { throwIfNoEntry: false });
      if (stat === undefined) return false;
      const identity = [lock, stat.ino, stat.mtimeMs].join(' ');
      const since = seen.get(identity);
      if (since === undefined) seen.set(identity, momentOf(git.clock));
      return since !== undefined && elapsedMs(git.clock, since) > LEFT_MS && (await remove(lock, git));
    },
  };
}

/** With the rights that git has there: the path may lead anywhere. */
async function remove(lock: string, { processes, owner, isolation, fileRules, signal, lease }: GitWriter) {
  const env = { PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin' };
  const command = findProgram('rm', env.PATH, '/') ?? 'rm';
  const cwd = join(lock, '..');
  const spec = { owner, command, args: ['-f', '--', lock], cwd, env, isolation, fileRules };
  const { exitCode } = await whileHeld(lease, () =>
    processes.run({ ...spec, timeoutMs: 10_000, maxOutputBytes: 4096 }, signal),
  );
  return exitCode === 0;
}
