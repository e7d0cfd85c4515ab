/** What `animus faculty check` remarks about a faculty. Remarks are not problems: another host, other files or a later skill may settle them. */
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { SkillLibrary } from '../../catalog/skills/skill.ts';
import { type Problem, problemAt } from '../../core/errors/problem.ts';
import { didYouMean } from '../../core/errors/suggest.ts';
import { runsAsOwner } from '../../process/isolation.ts';
import type { BashIsolation } from './bash-isolation.ts';

/** A remark about a key of a faculty. `at`: where the key stands, as `FILE:LINE`. */
export function remarkAt({ file }: Faculty, detail: string, at: string | null | undefined, key: string): Problem {
  const line = at?.startsWith(`${file}:`) ? Number(at.slice(file.length + 1)) : null;
  return problemAt('config.conflict', { file, line, key: `faculty.${key}` }, { detail });
}

/** Caches that are not shared here: where each focus has a user of its own, foci have no user who could write a cache of all. */
export function cacheRemarks(faculty: Faculty, bash: BashIsolation | null): readonly Problem[] {
  const { origins, caches = [], workspace, repo } = faculty;
  const isolation = bash?.isolation ?? null;
  if (caches.length === 0 || isolation === null || !runsAsOwner(isolation) || (workspace ?? repo) !== null) return [];
  const detail =
    'not shared on this host: with isolation "uid" and without a workspace or repo, each focus runs as a user of its own, and keeps its caches in its own HOME';
  return [remarkAt(faculty, detail, origins['caches'], 'caches')];
}

/** Faculties that it may spawn and that are not here: a daemon with other files may have them; without one, such children stay queued. */
export function childRemarks(faculty: Faculty, known: ReadonlyMap<string, Faculty>): readonly Problem[] {
  const key = 'children.faculties';
  const missing = (faculty.children?.faculties ?? []).filter((name) => !known.has(name));
  return missing.map((name) => {
    const detail = `no usable faculty is named ${name}${didYouMean(name, known.keys())}: child work for it waits until a daemon has one`;
    return remarkAt(faculty, detail, faculty.origins[key], key);
  });
}

/** Skills that it offers and that are not here: a skill may be added, or written by work, at any time. */
export function skillRemarks(faculty: Faculty, { skills }: SkillLibrary): readonly Problem[] {
  const key = 'skills.offered';
  const missing = (faculty.skills?.offered ?? []).filter((name) => name !== '*' && !skills.has(name));
  return missing.map((name) =>
    remarkAt(faculty, `no usable skill is named ${name}${didYouMean(name, skills.keys())}`, faculty.origins[key], key),
  );
}
