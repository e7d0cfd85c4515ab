/** Deletes the refs of a discarded worktree from the operator's repository. */
import { existsSync } from 'node:fs';
import { AnimusError } from '../../core/errors/errors.ts';
import { worktreeNames } from '../worktrees/worktree-refs.ts';
import { plainGit } from './plain-git.ts';

/** What was deleted, and what was left because a person uses it. */
export interface DeletedRefs {
  /** Full names. */
  readonly deleted: readonly string[];
  /** Why the branch was left alone; null: it was deleted, or was not there. */
  readonly branchKept: string | null;
}

/**
 * Deletes the branch of a worktree, and all its refs below `refs/animus`, in one step. The branch stays if it is checked out, or is not where the daemon
 * left it: then a person has moved it. Deletes nothing where the repository is gone. Errors: `worktree.failed`.
 */
export async function deleteRefs(
  repo: string,
  { id, branch }: { readonly id: string; readonly branch: string },
): Promise<DeletedRefs> {
  if (!existsSync(repo)) return { deleted: [], branchKept: null };
  const { base, handed, placed, answers } = worktreeNames(id);
  const format = '--format=%(refname) %(objectname)%00%(worktreepath)%00';
  const listed = await read(repo, ['for-each-ref', format, `refs/heads/${branch}`, base, handed, placed, answers]);
  const refs = parseRefs(listed);
  const tip = refs.find(({ ref }) => ref === `${handed}branch`)?.commit;
  const branchKept = whyKept(
    refs.find(({ ref }) => ref === `refs/heads/${branch}`),
    tip,
    branch,
  );
  const doomed = refs.filter(({ ref }) => branchKept === null || !ref.startsWith('refs/heads/'));
  const lines = doomed.map(({ ref, commit }) => `delete ${ref}\0${commit}\0`).join('');
  if (lines !== '') await read(repo, ['update-ref', '-z', '--stdin'], lines);
  return { deleted: doomed.map(({ ref }) => ref), branchKept };
}

interface Ref {
  readonly ref: string;
  readonly commit: string;
  /** Where it is checked out; empty: nowhere. */
  readonly checkout: string;
}

/** A path may contain spaces and newlines, so it is between two NULs. */
function parseRefs(listed: string): readonly Ref[] {
  const fields = listed.split('\0');
  return Array.from({ length: Math.floor(fields.length / 2) }, (_, n) => {
    const [ref = '', commit = ''] = fields[2 * n]!.trim().split(' ');
    return { ref, commit, checkout: fields[2 * n + 1]! };
  });
}

function whyKept(found: Ref | undefined, tip: string | undefined, branch: string): string | null {
  if (found === undefined) return null;
  if (found.checkout !== '') return `${branch} is checked out in ${found.checkout}`;
  return tip === undefined || found.commit === tip ? null : `${branch} has other commits than the agent's`;
}

async function read(repo: string, args: readonly string[], stdin?: string): Promise<string> {
  const { ok, stdout, problem } = await plainGit(repo, args, stdin === undefined ? {} : { stdin });
  if (!ok) throw new AnimusError('worktree.failed', { repo, detail: `git ${args[0]}: ${problem}` });
  return stdout;
}
