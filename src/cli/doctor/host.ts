/** The doctor looks at this host and what is written on it: isolation of bash, faculties. */
import type { Faculties } from '../../catalog/faculties.ts';
import { detectIsolation } from '../../process/namespace.ts';
import { type Finding, fine, note, problem } from './finding.ts';

/** A faculty that insists on namespaces cannot run bash where there are none. */
export async function examineIsolation({ faculties }: Pick<Faculties, 'faculties'>): Promise<readonly Finding[]> {
  const isolation = await detectIsolation();
  if (isolation === 'namespace') return [fine('isolation', 'bash runs in namespaces of its own')];
  const remedy = 'needs Linux, util-linux 2.38 or later, and permission to create user namespaces';
  const insisting = [...faculties.values()].filter(({ engage }) => engage.bashIsolation === 'namespace');
  if (insisting.length === 0) return [note('isolation', 'bash runs without namespaces on this host', remedy)];
  const names = insisting.map(({ name }) => name).join(', ');
  return [problem('isolation', `this host has no namespaces, and bash_isolation demands them: ${names}`, remedy)];
}

/** Every problem of every file. */
export function examineFaculties(directory: string, { faculties, problems }: Faculties): readonly Finding[] {
  if (problems.length > 0) return problems.map(({ message }) => problem('faculties', message));
  if (faculties.size === 0)
    return [note('faculties', `no faculty files in ${directory}`, 'write one, or use --faculties')];
  return [fine('faculties', `${[...faculties.keys()].join(', ')} in ${directory}`)];
}
