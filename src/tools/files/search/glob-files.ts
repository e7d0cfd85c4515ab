/** Finds files by name. Runs in the worker of glob, where a slow pattern or a huge directory does not block the daemon. */

import type { Bounds } from '../mounts.ts';
import { printableName } from '../printable-name.ts';
import { isRefusal, type Refusal, refuse } from '../refusal.ts';
import { resolveInside } from '../workspace.ts';
import { compileGlob } from './glob-pattern.ts';
import { walkFiles } from './walk.ts';

export const MAX_WALKED = 200_000;
/** The maximum number of unreadable directories in the result. */
const MAX_SKIPPED = 11;

/** The pattern and the directory to search. */
export interface GlobRequest extends Bounds {
  readonly path: string;
  readonly pattern: string;
  readonly maxShown: number;
  /** Files in the database below `path`, relative to it. */
  readonly kept: readonly string[];
}

/** At most one path more than is shown; `skipped` lists directories that could not be read. */
export interface GlobResult {
  readonly found: readonly string[];
  readonly skipped: readonly string[];
  readonly walked: number;
}

/** Walks the directory until the limit of matching files or of all files is reached. A refusal is for the model. */
export async function globFiles(request: GlobRequest): Promise<GlobResult | Refusal> {
  const inside = await resolveInside(request, request.path);
  if (isRefusal(inside)) return inside;
  if (!inside.exists && request.kept.length === 0) return refuse(`${request.path}: no such directory`);
  const matches = compileGlob(request.pattern);
  if (isRefusal(matches)) return matches;

  const found = new Set<string>();
  const skipped: string[] = [];
  let isUnreadable = false;
  const skip = (at: string): void => {
    if (at === '') isUnreadable = true;
    if (skipped.length < MAX_SKIPPED) skipped.push(at);
  };
  let walked = 0;
  const take = (file: string) => {
    if (matches(file)) found.add(printableName(inside.shown === '.' ? file : `${inside.shown}/${file}`));
  };
  for (const file of request.kept.slice(0, MAX_WALKED)) if (found.size <= request.maxShown) take(file);
  // The thread is terminated from outside.
  const real = inside.exists ? walkFiles(request, inside.real, new AbortController().signal, skip) : [];
  for await (const file of real) {
    if (++walked > MAX_WALKED || found.size > request.maxShown) break;
    take(file);
  }
  if (isUnreadable) return refuse(`${request.path}: is not a readable directory`);
  return { found: [...found], skipped, walked };
}
