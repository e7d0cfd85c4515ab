/** Paths that begin with what is typed. */
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { expandHome } from './expand-home.ts';

/** A quoted path is completed without its quotes, which it does not need. Hidden files only if their dot is typed; what cannot be typed is left out. */
export function completePath(typed: string, { cwd, home }: { readonly cwd: string; readonly home: string }): string[] {
  const slash = typed.lastIndexOf('/') + 1;
  const [directory, begun] = [typed.slice(0, slash), typed.slice(slash)];
  try {
    return readdirSync(resolve(cwd, expandHome(directory, home)), { withFileTypes: true })
      .filter(({ name }) => name.startsWith(begun) && (begun.startsWith('.') || !name.startsWith('.')))
      .filter(({ name }) => !UNTYPABLE.test(name))
      .map((entry) => `${directory}${entry.name}${entry.isDirectory() ? '/' : ''}`)
      .toSorted();
  } catch {
    // No such directory, or none that may be read.
    return [];
  }
}

// oxlint-disable-next-line no-control-regex
const UNTYPABLE = /[\u0000-\u001f\u007f-\u009f]/;
