/** `animus work diff`: what an item has changed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AnimusError, usageError } from '../../../core/errors/errors.ts';
import { type ChangedFile, patchFiles } from '../../../core/text/patch-files.ts';
import type { CommonOptions, Invocation } from '../../../terminal/command/command.ts';
import { hasColours, styled } from '../../../terminal/view/output.ts';
import { bytes, grouped, shortId } from '../../../terminal/view/quantities.ts';
import { changedFiles, commitsHere, gitIn } from './commits-here.ts';
import { type FoundResult, findResult } from './find-result.ts';
import { readGit, runGit, showGit, type UserGit } from './user-git.ts';

interface DiffOptions extends CommonOptions {
  readonly stat?: boolean;
  readonly tool?: boolean;
}

export async function diffCommand(invocation: Invocation, options: DiffOptions, reference: string): Promise<number> {
  const { output } = invocation;
  if (options.stat && options.tool) throw usageError('give --stat or --tool, not both');
  const result = await findResult(invocation, reference);
  if (result === null) {
    output.document({ files: [], patch: '' });
    output.note('it changed nothing');
    return 0;
  }
  const git = await commitsHere(invocation, result);
  if (output.json) {
    output.document(await documentOf(result, git));
    return 0;
  }
  if (git !== null) return showCommits(invocation, result, git, options);
  const patch = storedPatch(result);
  if (options.tool) {
    const id = shortId(result.item.work_item_id);
    const detail = `the repository of work item ${id} is not on this machine, and a diff tool needs it; see the patch: animus work diff ${id}`;
    throw new AnimusError('worktree.none', { detail });
  }
  if (!options.stat) return showPatch(invocation, patch);
  for (const { path, added, removed } of patchFiles(patch)) {
    const size = added === null ? 'binary' : `+${grouped(added)} -${grouped(removed ?? 0)}`;
    output.line(`${path}  `, styled(size, 'dim'));
  }
  return 0;
}

/** The patch of a result whose repository is not on this machine. Errors: `worktree.none` where it is too large to be stored. */
export function storedPatch({ item, branch, patch }: FoundResult): Buffer {
  if (patch !== null) return patch;
  const where = item.repo === null ? 'its repository' : `${item.repo}${item.host === null ? '' : ` on ${item.host}`}`;
  const size = item.patch_bytes ? `it has ${bytes(item.patch_bytes)}` : 'it is too large';
  const detail = `the patch of work item ${shortId(item.work_item_id)} is not stored in the database: ${size}, and at most 4 MiB are. Its commits are on ${branch} in ${where}; run this command there, or in a clone that has them`;
  throw new AnimusError('worktree.none', { detail });
}

async function documentOf(result: FoundResult, git: UserGit | null) {
  const { item, branch, start, tip, rest, patch } = result;
  const files: readonly ChangedFile[] =
    git === null ? patchFiles(storedPatch(result)) : await changedFiles(git, result);
  return {
    work_item_id: item.work_item_id,
    branch,
    start,
    tip,
    rest,
    files,
    patch_bytes: item.patch_bytes,
    /** Null: too large to be stored. */
    patch: patch === null ? null : patch.toString('utf8'),
  };
}

/** By the user's git: with its pager and colours on a terminal, else byte by byte. */
async function showCommits(
  invocation: Invocation,
  { start, end }: FoundResult,
  git: UserGit,
  { stat, tool }: DiffOptions,
): Promise<number> {
  const { stdout, signals } = invocation.context;
  const args = tool ? ['difftool', start, end, '--'] : ['diff', ...(stat ? ['--stat'] : []), start, end, '--'];
  if (tool || stdout === process.stdout) return showGit(git, args, signals.passInterrupts);
  stdout.write(await readGit(git, args));
  stdout.write('\n');
  return 0;
}

/** A blob in an empty repository: so that git shows the patch in the pager that the user has configured. */
async function showPatch(invocation: Invocation, patch: Buffer): Promise<number> {
  const { stdout, env, signals } = invocation.context;
  if (stdout !== process.stdout || stdout.isTTY !== true) {
    // A patch may hold files in any encoding.
    if (stdout === process.stdout) process.stdout.write(patch);
    else stdout.write(patch.toString('utf8'));
    return 0;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'animus-diff-'));
  try {
    const git = gitIn(invocation, scratch);
    await readGit(git, ['init', '--quiet', '--bare', '--template=']);
    const stdin = hasColours(stdout, env) ? coloured(patch) : patch.toString('latin1');
    const made = await runGit(git, ['hash-object', '-w', '--stdin'], { stdin: Buffer.from(stdin, 'latin1') });
    return await showGit(
      git,
      ['--paginate', 'cat-file', 'blob', made.stdout.toString().trim()],
      signals.passInterrupts,
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** In the colours of git. */
function coloured(patch: Buffer): string {
  return patch
    .toString('latin1')
    .split('\n')
    .map((line) => {
      const colour = /^(diff|index|---|\+\+\+|new file|deleted file|rename|similarity)/.test(line)
        ? '1'
        : (COLOURS[line[0] ?? ''] ?? null);
      return colour === null ? line : `\u001b[${colour}m${line}\u001b[0m`;
    })
    .join('\n');
}

const COLOURS: Readonly<Record<string, string>> = { '+': '32', '-': '31', '@': '36' };
