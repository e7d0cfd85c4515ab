/** What `animus faculty check` remarks about the faculties that a faculty may spawn. */
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import { type Problem, problemAt } from '../../core/errors/problem.ts';
import { didYouMean } from '../../core/errors/suggest.ts';

const KEY = 'children.faculties';

/** Names that no faculty here has. Remarks and not problems: a daemon with other files may have them; without one, such children stay queued. */
export function childRemarks(faculty: Faculty, known: ReadonlyMap<string, Faculty>): readonly Problem[] {
  const { file, children, origins } = faculty;
  const at = origins[KEY];
  const line = at?.startsWith(`${file}:`) ? Number(at.slice(file.length + 1)) : null;
  return (children?.faculties ?? [])
    .filter((name) => !known.has(name))
    .map((name) => {
      const detail = `no usable faculty is named ${name}${didYouMean(name, known.keys())}: child work for it waits until a daemon has one`;
      return problemAt('config.conflict', { file, line, key: `faculty.${KEY}` }, { detail });
    });
}
