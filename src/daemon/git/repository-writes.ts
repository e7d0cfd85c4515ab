/** Serialises this daemon's writes to a repository, and retries while another process holds its locks or is in the middle of a change. */

import { AnimusError } from '../../core/errors/errors.ts';
import {
  type GitCall,
  type GitInput,
  type GitPlace,
  type GitResult,
  type GitWriter,
  runGit,
  runGits,
  setsOneRef,
} from './git.ts';
import { watchLocks } from './left-locks.ts';

const TRIES = 20;
/** Locks that were left are removed one after the other, each after tries of its own. */
const MOST_TRIES = 10 * TRIES;
/** While a person's `git worktree add` runs, files of the new worktree are empty and its HEAD names no commit: whatever looks at all worktrees or refs fails. */
const HALF_MADE = /bad object worktrees\/.+\/HEAD|failed to read .+commondir/i;
/** Several foci, daemons and people who write to one repository contend for its lock files. */
const LOCKED = /\.lock'?: File exists|unable to (create|lock)|could not lock|cannot lock ref/i;

/** A command that takes the repository's locks. Errors: `worktree.failed` with git's message; `work.lease_lost`. */
export async function writeGit(
  place: GitPlace,
  args: readonly string[],
  git: GitWriter,
  input: GitInput = {},
): Promise<void> {
  const locks = watchLocks(place, git);
  for (let tries = 1, all = 1; ; tries++, all++) {
    const write = (): Promise<GitResult> => runGit(place, args, git, input);
    const result = setsOneRef(args) ? await write() : await inTurn(place.commonDir, write);
    if (result.ok) return;
    if (!LOCKED.test(result.stderr) && !HALF_MADE.test(result.stderr)) throw gitFailure(place, args, result);
    if (await locks.removeNamed(result.stderr)) tries = 0;
    else if (tries >= TRIES || all >= MOST_TRIES) throw gitFailure(place, args, result);
    else await rest(tries, git);
  }
}

/** Returns the output of a command that needs no lock of the repository. Errors: `worktree.failed` with git's message. */
export async function readGit(
  place: GitPlace,
  args: readonly string[],
  git: GitWriter,
  input: GitInput = {},
): Promise<string> {
  for (let tries = 1; ; tries++) {
    const result = await runGit(place, args, git, input);
    if (result.ok) {
      refuseCut(place, args, result);
      return result.stdout;
    }
    if (tries >= TRIES || !HALF_MADE.test(result.stderr)) throw gitFailure(place, args, result);
    await rest(tries, git);
  }
}

/** Returns the outputs of commands that run one after the other in one entry into the isolation (`runGits`). Errors: as `readGit`, of the first that failed. */
export async function readGits(calls: readonly GitCall[], git: GitWriter): Promise<readonly string[]> {
  for (let tries = 1; ; tries++) {
    const results = await runGits(calls, git);
    const failed = results.findIndex(({ ok }) => !ok);
    for (const [n, { place, args }] of calls.entries()) if (failed < 0) refuseCut(place, args, results[n]!);
    if (failed < 0) return results.map(({ stdout }) => stdout);
    const { place, args } = calls[failed]!;
    if (tries >= TRIES || !HALF_MADE.test(results[failed]!.stderr)) throw gitFailure(place, args, results[failed]!);
    await rest(tries, git);
  }
}

function rest(tries: number, { clock, signal }: GitWriter): Promise<void> {
  return clock.sleep(50 * Math.random() * tries, signal);
}

/** Part of a list would be taken for the whole. Errors: `worktree.failed`. */
export function refuseCut(place: GitPlace, args: readonly string[], result: GitResult): void {
  if (result.cut) throw gitFailure(place, args, { ...result, stderr: 'it printed more than 32 MiB' });
}

/** A partial clone would have to fetch objects, which the daemon's git never does. */
const LACKS_OBJECTS = /lazy fetching disabled|transport '[^']*' not allowed|promisor remote/i;

function gitFailure({ commonDir }: GitPlace, args: readonly string[], { stderr }: GitResult): AnimusError {
  const words = args.slice(0, 2).filter((arg) => !arg.startsWith('-'));
  const advice = LACKS_OBJECTS.test(stderr)
    ? ' The repository is a partial clone that lacks objects of this commit, and animus fetches nothing: run git fetch --refetch in it, or clone it whole.'
    : '';
  return new AnimusError('worktree.failed', {
    repo: commonDir,
    detail: `git ${words.join(' ')}: ${stderr}${advice}`,
  });
}

/** The last pending write of each repository. */
const writes = new Map<string, Promise<unknown>>();

/**
 * Runs this daemon's writes to one repository one after another. Concurrent adding, removing and pruning of worktrees fails in git
 * 2.39 with messages that name no lock file ("failed to read commondir", "could not open gitdir").
 */
async function inTurn<T>(repository: string, work: () => Promise<T>): Promise<T> {
  const mine = (writes.get(repository) ?? Promise.resolve()).then(work);
  const settled = mine.then(
    () => {},
    () => {},
  );
  writes.set(repository, settled);
  try {
    return await mine;
  } finally {
    if (writes.get(repository) === settled) writes.delete(repository);
  }
}
