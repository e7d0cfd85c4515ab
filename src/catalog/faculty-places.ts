/** The directories that a faculty works in: they have to be on this machine. */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messageOf } from '../core/errors/errors.ts';
import { conflict, type FacultyCheck } from './faculty-check.ts';

/** The absolute root of the file tools; null where it is the focus directory. */
export function readWorkspace(check: FacultyCheck): string | null {
  const written = check.document.given('faculty', 'workspace');
  if (typeof written !== 'string') return null;
  const workspace = resolve(check.directory, written);
  const problem = directoryProblem(workspace);
  if (problem !== null) conflict(check, ['workspace'], problem);
  return workspace;
}

/** The repository of a faculty that works in worktrees; its absolute path, whatever is wrong with it. */
export function readRepo(check: FacultyCheck): string | null {
  const { document } = check;
  const written = document.given('faculty', 'repo');
  if (document.given('faculty', 'isolation') !== 'worktree') {
    if (written !== undefined)
      conflict(check, ['repo'], 'is only for isolation = "worktree"; add that, or remove repo');
    return null;
  }
  if (document.given('faculty', 'workspace') !== undefined) {
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

/** Tools that work on files which are there already. */
const NEED_FILES: ReadonlySet<string> = new Set(['edit_file', 'apply_patch', 'glob', 'grep']);

/** A faculty with tools for existing files, and no place that holds any, would find an empty directory. */
export function checkHasFiles(check: FacultyCheck): void {
  const { document } = check;
  const given = (...keys: readonly string[]) => document.given('faculty', ...keys) !== undefined;
  if (given('workspace') || given('isolation')) return;
  const tools = document.given('faculty', 'engage', 'tools');
  const needing = Array.isArray(tools) ? tools.filter((tool) => NEED_FILES.has(String(tool))) : [];
  if (needing.length === 0) return;
  const detail =
    `${needing.join(', ')} ${needing.length === 1 ? 'works' : 'work'} on files, and the faculty has none: set ` +
    'workspace = "DIRECTORY", or isolation = "worktree" and repo = "REPOSITORY"; ' +
    'isolation = "directory" says that an empty directory is meant';
  conflict(check, ['engage', 'tools'], detail);
}

/** By its files alone: a repository's top directory has `.git`, a bare one is made like it. */
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
