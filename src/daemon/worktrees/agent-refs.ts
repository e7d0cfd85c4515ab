/** The refs that an agent made or moved in its private repository, beside the branch of the item. */
import { join } from 'node:path';
import { readRegularFile } from '../../core/files/regular-file.ts';
import type { GitPlace, GitWriter } from '../git/git.ts';
import { linesOf, parseRefs, type Refs } from '../git/read-refs.ts';
import { readGit } from '../git/repository-writes.ts';
import { BEGAN } from './private-repository.ts';
import { OUT } from './worktree-refs.ts';

/** A ref of the agent, or commits that no ref names any more. */
export interface AgentRef {
  /** As it is handed over, below `other/`: `heads/NAME`, `tags/NAME`, `stash/N`, `dropped/COMMIT`. */
  readonly name: string;
  readonly commit: string;
}

const OF_AGENT = /^refs\/(heads|tags)\//;
/** So many are handed over; more than that is not work. */
const MAX_REFS = 200;
/** A list of refs as long as `packed-refs` of a large repository. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Branches and tags that differ from those it began with, every stash, and `dropped`, commits that only a reflog knows (amended, reset, on a deleted branch):
 * nothing that was once committed is lost with the directory.
 */
export async function readAgentRefs(
  place: GitPlace,
  branch: string,
  { byName }: Refs,
  dropped: readonly AgentRef[],
  git: GitWriter,
): Promise<readonly AgentRef[]> {
  const began = new Map(parseRefs(readBegan(place)));
  const named = [...byName]
    .filter(([ref, commit]) => OF_AGENT.test(ref) && ref !== `refs/heads/${branch}` && began.get(ref) !== commit)
    .map(([ref, commit]): AgentRef => ({ name: ref.slice('refs/'.length), commit }));
  const stashed = byName.has('refs/stash') ? await stashes(place, git) : [];
  return [...named, ...stashed, ...dropped].slice(0, MAX_REFS);
}

async function stashes(place: GitPlace, git: GitWriter): Promise<readonly AgentRef[]> {
  const listed = await readGit(place, ['log', '-g', '--format=%H', 'refs/stash', '--'], git);
  return linesOf(listed).map((commit, n) => ({ name: `stash/${n}`, commit }));
}

/** The newest commits of each line of history that only reflogs name. `tip`: where HEAD has no commit, the one that counts as its. */
export async function readDropped(place: GitPlace, tip: string | null, git: GitWriter): Promise<readonly AgentRef[]> {
  // What was handed over before is handed over again: what is missing in the new list is pruned.
  const range = ['--reflog', '--not', `--exclude=${OUT}*`, '--all', ...(tip === null ? [] : [tip])];
  const listed = await readGit(place, ['rev-list', '--parents', `--max-count=${MAX_REFS}`, ...range], git);
  const rows = linesOf(listed).map((line) => line.split(' '));
  const parents = new Set(rows.flatMap(([, ...above]) => above));
  return rows
    .map(([commit]) => commit!)
    .filter((commit) => !parents.has(commit))
    .map((commit) => ({ name: `dropped/${commit.slice(0, 12)}`, commit }));
}

/** The agent can write this file; if it does, only its own report of refs is wrong. */
function readBegan({ gitDir }: GitPlace): string {
  return readRegularFile(join(gitDir, BEGAN), { maxBytes: MAX_BYTES, followLink: false }).toString('utf8');
}
