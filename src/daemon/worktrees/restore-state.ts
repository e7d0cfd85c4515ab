/** Puts the files of another answer of the conversation into its worktree. What was there is handed over first. */
import type { HandedCommits } from '../../store/work/worktrees.ts';
import type { GitPlace, GitWriter } from '../git/git.ts';
import { readGit, writeGit } from '../git/repository-writes.ts';
import { commitTree, readStatus, writeTree } from '../git/snapshot.ts';
import type { Origin } from './open-origin.ts';
import { checkOut } from './private-repository.ts';
import type { WorktreeNames } from './worktree-refs.ts';

/** Ignored files stay. Errors: `worktree.failed`. */
export async function restoreState(
  { place, names, origin }: { readonly place: GitPlace; readonly names: WorktreeNames; readonly origin: Origin },
  begin: HandedCommits,
  git: GitWriter,
): Promise<void> {
  const { head, changed } = await readStatus(place, git);
  const parent = head ?? begin.tip;
  // With new files in the index, git removes them where the other state lacks them.
  const { tree } = await writeTree(place, { paths: changed, parent }, 'theirs', git);
  const message = 'The files of another answer, put aside\n';
  const aside = await commitTree(place, { tree, parent }, { author: origin.settings.author, message }, git);
  await pinAnswer(origin, { gitDir: place.gitDir, ref: `${names.answers}${aside.slice(0, 12)}`, commit: aside }, git);
  await readGit(place, ['symbolic-ref', 'HEAD', `refs/heads/${names.branch}`], git);
  await checkOut(place, { commit: begin.tip, rest: begin.rest }, git);
}

/** Keeps a commit of the private repository in the operator's. */
async function pinAnswer(
  origin: Origin,
  { gitDir, ref, commit }: { readonly gitDir: string; readonly ref: string; readonly commit: string },
  git: GitWriter,
): Promise<void> {
  await readGit(
    { ...origin.place, gitDir, commonDir: gitDir, workTree: null },
    ['update-ref', 'refs/animus/aside', commit],
    git,
  );
  const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance', '--no-recurse-submodules'];
  const env = { GIT_ALLOW_PROTOCOL: 'file' };
  await writeGit(origin.place, ['fetch', ...options, gitDir, `+refs/animus/aside:${ref}`], git, { env });
}
