/** Checks `caches`: shared caches are for commands that do the work. */
import { writtenMode } from '../faculty/modes.ts';
import { conflict, type FacultyCheck } from './faculty-check.ts';

/** Refuses them for a faculty none of whose commands would get them. */
export function checkCaches(check: FacultyCheck): void {
  const { document } = check;
  const given = (...path: string[]) => document.given('faculty', ...path);
  const caches = given('caches');
  if (!Array.isArray(caches) || caches.length === 0) return;
  const tools = given('engage', 'tools');
  const runsBash = Array.isArray(tools) && tools.includes('bash');
  if (runsBash || writtenMode(given('engage', 'mode')) === 'external') return;
  conflict(
    check,
    ['caches'],
    'is for commands of bash, and for the command of mode = "external": list bash in engage.tools, or remove caches',
  );
}
