/** The names of faculties. Import it when it is needed: it loads the schemas of faculties. */
import { loadFaculties } from '../../catalog/faculties.ts';
import { toolTable } from '../../tools/known-tools.ts';

/** The names of the faculties in a directory that load without problems. */
export function facultyNames(directory: string): string[] {
  return [...loadFaculties(directory, { toolNames: toolTable().listed }).faculties.keys()];
}
