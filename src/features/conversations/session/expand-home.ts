import { join } from 'node:path';

/** The path that a person means: `~` is their home, as in a shell; any other is left as it is. */
export function expandHome(path: string, home: string): string {
  return home !== '' && /^~(?:\/|$)/.test(path) ? join(home, path.slice(1)) : path;
}
