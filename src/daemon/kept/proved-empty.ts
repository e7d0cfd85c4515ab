/** Proves that the directory of a worktree contains nothing that is not on its branch. What cannot be proved is kept. */
import { copyFile, lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ifMissing } from '../../core/files/if-missing.ts';
import { readRegularFile } from '../../core/files/regular-file.ts';
import { isTemporaryName } from '../../tools/files/temporary-names.ts';
import { worktreeNames } from '../worktrees/worktree-refs.ts';
import { plainGit } from './plain-git.ts';

/** Where to look: `directory` is the worktree, `repo` the git directory of the operator's repository. */
export interface Provable {
  readonly id: string;
  readonly directory: string;
  readonly repo: string;
}

/** Operations that were begun and not finished, and repositories of their own. */
const UNFINISHED = [
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'rebase-merge',
  'rebase-apply',
  'sequencer',
  'BISECT_LOG',
];

/**
 * Returns what the directory holds beside its branch, in the words of docs/worktrees.md; none: everything in it is in the repository. Git reads the
 * operator's repository only: of the agent's, the files of refs and the index are read, and its configuration has no effect. Errors: `worktree.failed`,
 * and those of the file system.
 */
export async function heldIn({ id, directory, repo }: Provable): Promise<readonly string[]> {
  const gitDir = join(directory, '.git');
  if (!(await lstat(gitDir)).isDirectory()) return ['embedded'];
  const handed = await plainGit(repo, ['rev-parse', '--verify', '--quiet', `${worktreeNames(id).handed}branch`]);
  if (!handed.ok) return ['commits'];
  const tip = handed.stdout.trim();
  const refs = await refsOf(gitDir);
  const entries = new Set(await readdir(gitDir));
  const scratch = await mkdtemp(join(tmpdir(), 'animus-proof-'));
  try {
    const held = [
      refs.has('refs/stash') && 'stash',
      !(await areOn(repo, tip, [...refs.values()])) && 'commits',
      UNFINISHED.some((name) => entries.has(name)) && 'uncommitted',
      entries.has('modules') && (await readdir(join(gitDir, 'modules'))).length > 0 && 'submodule',
      ...(await heldFiles({ directory, repo, tip, scratch })),
    ];
    return [...new Set(held.filter((word) => word !== false))];
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The refs of a repository and its HEAD, from its files: name → commit, or the ref that it stands for. */
async function refsOf(gitDir: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const limits = { maxBytes: 64 * 1024 * 1024, followLink: false };
  for (const entry of await readdir(join(gitDir, 'refs'), { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const path = join(entry.parentPath, entry.name);
    found.set(path.slice(gitDir.length + 1), readRegularFile(path, limits).toString('utf8').trim());
  }
  found.set('HEAD', readRegularFile(join(gitDir, 'HEAD'), limits).toString('utf8').trim());
  if ((await readdir(gitDir)).includes('packed-refs')) {
    for (const line of readRegularFile(join(gitDir, 'packed-refs'), limits).toString('utf8').split('\n')) {
      const [, commit, name] = /^([0-9a-f]{40,64}) (refs\/.+)$/.exec(line) ?? [];
      if (commit !== undefined && name !== undefined && !found.has(name)) found.set(name, commit);
    }
  }
  return found;
}

/** Whether the operator's repository has all of these commits in the history of `tip`. */
async function areOn(repo: string, tip: string, values: readonly string[]): Promise<boolean> {
  const commits = [...new Set(values.filter((value) => !value.startsWith('ref: ')))];
  if (commits.some((value) => !/^[0-9a-f]{40,64}$/.test(value))) return false;
  const stdin = [...commits, `^${tip}`].join('\n');
  const others = await plainGit(repo, ['rev-list', '--max-count=1', '--stdin'], { stdin: `${stdin}\n` });
  return others.ok && others.stdout === '';
}

interface Files {
  readonly directory: string;
  readonly repo: string;
  readonly tip: string;
  readonly scratch: string;
}

/** Compares the checkout, and the agent's own index, with the commit. A directory of a submodule must be empty: git would look into it. */
async function heldFiles({ directory, repo, tip, scratch }: Files): Promise<readonly string[]> {
  const own = { GIT_WORK_TREE: directory, GIT_INDEX_FILE: join(scratch, 'index') };
  const read = async (args: readonly string[], variables: Record<string, string>) => {
    const { ok, stdout } = await plainGit(repo, args, { variables });
    return ok ? stdout : null;
  };
  const theirs = { GIT_INDEX_FILE: join(scratch, 'theirs') };
  await copyFile(join(directory, '.git', 'index'), theirs.GIT_INDEX_FILE);
  const staged = await read(['diff-index', '--cached', '--raw', '--no-renames', tip, '--'], theirs);
  if ((await read(['read-tree', tip], own)) === null) return ['commits'];
  const status = [
    'status',
    '--porcelain',
    '-z',
    '--untracked-files=all',
    '--ignored=traditional',
    '--ignore-submodules=all',
    '--no-renames',
  ];
  const changed = await read(status, own);
  if (staged === null || changed === null) return ['uncommitted'];
  // The first column compares with the HEAD of the operator's repository, which plays no part.
  const lines = changed.split('\0').filter((line) => line !== '' && line[1] !== ' ' && !isTemporary(line));
  const links = await read(['ls-files', '--stage', '-z'], own);
  const submodules = (links ?? '').split('\0').flatMap((line) => /^160000 \S+ \d\t(.*)$/s.exec(line)?.[1] ?? []);
  const filled = await Promise.all(submodules.map(async (path) => hasEntries(join(directory, path))));
  return [
    ...(staged !== '' || lines.some((line) => !line.startsWith('!! ')) ? ['uncommitted'] : []),
    ...(lines.some((line) => line.startsWith('!! ')) ? ['ignored'] : []),
    ...(filled.includes(true) ? ['submodule'] : []),
  ];
}

/** A file that git does not know, through which a killed daemon was about to write another one. */
function isTemporary(line: string): boolean {
  return /^(\?\?|!!) /.test(line) && isTemporaryName(line);
}

async function hasEntries(path: string): Promise<boolean> {
  return (await readdir(path).catch(ifMissing([]))).length > 0;
}
