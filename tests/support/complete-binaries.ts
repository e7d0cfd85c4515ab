/** The shared libraries of PostgreSQL's programs from npm. */
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

/** npm may be configured not to run install scripts. The script of the platform's package creates the links to its shared libraries. */
export function completeBinaries(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(root, target);
    if (existsSync(path)) continue;
    try {
      symlinkSync(basename(source), path);
    } catch (error) {
      // Two test runs may start at the same time.
      if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
    }
  }
}
