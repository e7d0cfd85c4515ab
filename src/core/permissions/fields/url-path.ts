import { Minimatch } from 'minimatch';
import { GLOB_OPTIONS } from '../../text/globs.ts';

/** True if the glob over the path of a URL fits its decoded parts. `/` at the end counts. */
export function globAllows(glob: string, segments: readonly string[]): boolean {
  // An empty part at the end stands for the `/` there; the glob library would drop it.
  const parts = segments.map((segment) => (segment === '' ? EMPTY : segment));
  const pattern = glob
    .slice(1)
    .split('/')
    .map((part) => (part === '' ? EMPTY : part))
    .join('/');
  return new Minimatch(pattern, { ...GLOB_OPTIONS, nobrace: true }).match(parts.join('/'));
}

/** No part of a path contains this character. */
const EMPTY = '\u0000';
