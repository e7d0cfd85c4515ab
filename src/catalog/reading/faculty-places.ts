/** Checks the directories that a faculty works in, which must exist on this machine. */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messageOf } from '../../core/errors/errors.ts';
import { conflict, type FacultyCheck, given, listsTool } from './faculty-check.ts';

/** The absolute root of the file tools; null if it is the focus directory. */
export function readWorkspace(check: FacultyCheck): string | null {
  const written = given(check, 'workspace');
  if (typeof written !== 'string') return null;
  const workspace = resolve(check.directory, written);
  const problem = directoryProblem(workspace);
  if (problem !== null) conflict(check, ['workspace'], problem);
  return workspace;
}

/** The absolute path of the repository of a faculty that works in worktrees, even if it has problems. */
export function readRepo(check: FacultyCheck): string | null {
  const written = given(check, 'repo');
  if (given(check, 'isolation') !== 'worktree') {
    for (const key of ['repo', 'commit'].filter((name) => given(check, name) !== undefined))
      conflict(check, [key], `is only for isolation = "worktree"; set it, or remove ${key}`);
    return null;
  }
  if (given(check, 'workspace') !== undefined) {
    conflict(check, ['workspace'], 'with isolation = "worktree" the worktree is the workspace; remove workspace');
    return null;
  }
  if (typeof written !== 'string') {
    conflict(check, ['isolation'], '"worktree" needs repo, the repository to work on');
    return null;
  }
  const repo = resolve(check.directory, written);
  const problem = directoryProblem(repo) ?? repositoryProblem(repo);
  if (problem !== null) conflict(check, ['repo'], problem);
  return repo;
}

/** Tools that work on existing files. */
const NEED_FILES = ['edit_file', 'apply_patch', 'glob', 'grep'];

/** Refuses a faculty with tools for existing files but without a workspace: it would find an empty directory. */
export function checkHasFiles(check: FacultyCheck): void {
  if (given(check, 'workspace') !== undefined || given(check, 'isolation') !== undefined) return;
  const needing = NEED_FILES.filter((tool) => listsTool(check, tool));
  if (needing.length === 0) return;
  const detail =
    `${needing.join(', ')} ${needing.length === 1 ? 'works' : 'work'} on files, but the faculty has no workspace: set ` +
    'workspace = "DIRECTORY", or isolation = "worktree" and repo = "REPOSITORY"; ' +
    'for an empty directory set isolation = "directory"';
  conflict(check, ['engage', 'tools'], detail);
}

/** Checks the files only: the top directory of a repository has `.git`; a bare repository looks like `.git` itself. */
function repositoryProblem(path: string): string | null {
  const isRepository =
    existsSync(join(path, '.git')) || (existsSync(join(path, 'HEAD')) && existsSync(join(path, 'objects')));
  return isRepository ? null : `${path} is not the top directory of a git repository`;
}

function directoryProblem(path: string): string | null {
  try {
    return statSync(path).isDirectory() ? null : `${path} is not a directory`;
  } catch (error) {
    return `${path} cannot be used on this machine: ${messageOf(error)}`;
  }
}
