/** What `animus faculty check` remarks about the shared caches of a faculty. */
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import { type Problem, problemAt } from '../../core/errors/problem.ts';
import { runsAsOwner } from '../../process/isolation.ts';
import type { BashIsolation } from './bash-isolation.ts';

/** Where each focus has a user of its own, foci have no user who could write a cache of all. A remark: another host may run them otherwise. */
export function cacheRemarks(faculty: Faculty, bash: BashIsolation | null): readonly Problem[] {
  const { file, origins, caches = [], workspace, repo } = faculty;
  const isolation = bash?.isolation ?? null;
  if (caches.length === 0 || isolation === null || !runsAsOwner(isolation) || (workspace ?? repo) !== null) return [];
  const at = origins['caches'];
  const line = at?.startsWith(`${file}:`) ? Number(at.slice(file.length + 1)) : null;
  const detail =
    'not shared on this host: with isolation "uid" and without a workspace or repo, each focus runs as a user of its own, and keeps its caches in its own HOME';
  return [problemAt('config.conflict', { file, line, key: 'faculty.caches' }, { detail })];
}
