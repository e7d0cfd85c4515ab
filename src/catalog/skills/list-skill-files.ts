/** Lists the files of a skill's directory, and refuses what would lead out of it. */
import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileFault } from '../../core/errors/errors.ts';
import { byPath } from './content-hash.ts';
import type { Finding } from './finding.ts';
import type { SkillLimits } from './skill-limits.ts';
import { isLeftOut, wrongFileName } from './skill-path.ts';

/** A file that belongs to a skill. */
export interface ListedFile {
  /** As in `SkillFile`. */
  readonly path: string;
  /** The file itself, without links: what has to be opened. */
  readonly realPath: string;
  readonly bytes: number;
  /** When it was last changed, in ms since 1970. */
  readonly changedMs: number;
  /** Changes whenever the file does. */
  readonly stamp: string;
}

export interface SkillListing {
  readonly files: readonly ListedFile[];
  readonly findings: readonly Finding[];
}

/**
 * Lists the regular files of a skill, ordered by path. A link to a file inside the directory counts as that file. Findings: links that lead
 * out or to folders, pipes, sockets and devices, names that not every system can have, and what exceeds the limits. Throws the system's
 * error if the directory itself cannot be read.
 */
export function listSkillFiles(directory: string, limits: SkillLimits): SkillListing {
  const root = realpathSync.native(directory);
  const files: ListedFile[] = [];
  const findings: Finding[] = [];
  const broken = (path: string, what: string) => findings.push({ rank: 'broken', path, line: null, what });
  const walk = (folder: string, depth: number) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      if (isLeftOut(entry.name)) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      const wrong = wrongFileName(entry.name);
      if (wrong !== null) broken(folder, `contains a file whose name ${wrong}`);
      else if (Array.from(path).length > limits.pathCharacters)
        broken(folder, `contains a file whose path has more than ${limits.pathCharacters} characters`);
      else if (entry.isDirectory()) {
        if (depth >= limits.depth) broken(path, `is nested deeper than ${limits.depth} folders`);
        else walk(path, depth + 1);
      } else {
        const found = fileAt(root, path, entry);
        if (typeof found === 'string') broken(path, found);
        else files.push(found);
      }
      if (files.length > limits.files) {
        broken('', `has more than ${limits.files} files, which is the limit`);
        return;
      }
      if (findings.length > 20) return;
    }
  };
  walk('', 0);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > limits.packageBytes) broken('', `has ${bytes} bytes; a skill may have ${limits.packageBytes}`);
  for (const path of sameNames(files))
    broken(path, 'has a name that differs from another only in case or in Unicode form');
  return { files: files.sort(byPath), findings };
}

/** The file at this path, or why it is refused. */
function fileAt(root: string, path: string, entry: Dirent): ListedFile | string {
  const at = join(root, path);
  try {
    if (!entry.isSymbolicLink()) {
      const stats = lstatSync(at);
      return stats.isFile() ? listed(path, at, stats) : kindOf(stats);
    }
    const realPath = realpathSync.native(at);
    if (!realPath.startsWith(root + sep)) return 'is a link to something outside the skill';
    const stats = statSync(realPath);
    if (stats.isDirectory()) return 'is a link to a folder';
    return stats.isFile() ? listed(path, realPath, stats) : kindOf(stats);
  } catch (error) {
    return `${entry.isSymbolicLink() ? 'is a link that points nowhere' : 'cannot be read'}: ${fileFault(error)}`;
  }
}

function listed(path: string, realPath: string, stats: Stats): ListedFile {
  const { size, mtimeMs, ctimeMs, ino, dev } = stats;
  const stamp = `${path}:${size}:${mtimeMs}:${ctimeMs}:${dev}:${ino}`;
  return { path: path.normalize('NFC'), realPath, bytes: size, changedMs: Math.max(mtimeMs, ctimeMs), stamp };
}

function kindOf(stats: Stats): string {
  if (stats.isSymbolicLink()) return 'was replaced by a link while it was read';
  return 'is not a regular file (but a pipe, socket or device)';
}

/** Paths that a file system which ignores case or form takes for the same as an earlier one. */
function sameNames(files: readonly ListedFile[]): string[] {
  const seen = new Set<string>();
  return files.flatMap(({ path }) => {
    const key = path.normalize('NFKC').toLowerCase();
    if (seen.has(key)) return [path];
    seen.add(key);
    return [];
  });
}
