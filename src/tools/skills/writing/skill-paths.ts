/** Paths of the files that work may put into a skill: the same on every system, and nothing that a scan of the directory leaves out. */

const PART = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;
const MAX_DEPTH = 5;
/** Names that Windows keeps for devices, and folders that are not part of a skill. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
const LEFT_OUT = new Set(['node_modules', '__pycache__']);

/** Why a file of this path cannot be in a skill; null if it can. */
export function wrongPath(path: string): string | null {
  const parts = path.split('/');
  if (parts.length > MAX_DEPTH) return `it is deeper than ${MAX_DEPTH - 1} folders`;
  if (path.toLowerCase() === 'skill.md') return 'SKILL.md is made of name, description and instructions';
  for (const part of parts) {
    if (!PART.test(part) || part.endsWith('.'))
      return 'a path has letters, digits, "_", "-" and "." between slashes, and no part begins or ends with "."';
    if (RESERVED.test(part) || LEFT_OUT.has(part)) return `${part} is a reserved name`;
  }
  return null;
}

/** Why these paths cannot be in one directory, also where upper and lower case are the same; null if they can. */
export function clashingPaths(paths: readonly string[]): string | null {
  const folded = new Map<string, string>();
  for (const path of paths) {
    const before = folded.get(path.toLowerCase());
    if (before !== undefined) return `${path} and ${before} are the same file on some systems`;
    folded.set(path.toLowerCase(), path);
  }
  for (const path of paths) {
    const parts = path.toLowerCase().split('/');
    for (let length = 1; length < parts.length; length++) {
      const file = folded.get(parts.slice(0, length).join('/'));
      if (file !== undefined) return `${file} cannot be a file and a folder`;
    }
  }
  return null;
}
