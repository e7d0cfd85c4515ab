/** The hash of everything that a skill contains. */
import { createHash } from 'node:crypto';
import type { SkillContent } from './skill.ts';

/**
 * The SHA-256 of one line `HASH  PATH` per file, ordered by the bytes of the path, where HASH is the SHA-256 of its content: what
 * `sha256sum` prints for the files. The same for the same files on every machine. Hexadecimal.
 */
export function contentHashOf(files: readonly SkillContent[]): string {
  const lines = files.toSorted(byPath).map(({ path, content }) => `${sha256(content)}  ${path}\n`);
  return sha256(lines.join(''));
}

/** Orders by the bytes of the path, as `LC_ALL=C sort` does. */
export function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  if (a.path === b.path) return 0;
  return Buffer.compare(Buffer.from(a.path), Buffer.from(b.path));
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
