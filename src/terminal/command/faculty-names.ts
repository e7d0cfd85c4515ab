/** The names of faculties. Import it when it is needed: it loads the schemas of faculties and of all tools. */
import { loadFaculties } from '../../catalog/faculties.ts';
import { FACULTY_TOOL_NAMES } from '../../tools/registry.ts';

/** The names of the faculties in a directory that load without problems. */
export function facultyNames(directory: string): string[] {
  return [...loadFaculties(directory, { toolNames: FACULTY_TOOL_NAMES }).faculties.keys()];
}
