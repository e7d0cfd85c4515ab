/** Finds files by name. Runs in the worker of glob, where a slow pattern or a huge directory does not block the daemon. */
import { printableName } from '../printable-name.ts';
import { isRefusal, type Refusal, refuse } from '../refusal.ts';
import { type Bounds, resolveInside } from '../workspace.ts';
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
  if (!inside.exists) return refuse(`${request.path}: no such directory`);
  const matches = compileGlob(request.pattern);
  if (isRefusal(matches)) return matches;

  const found: string[] = [];
  const skipped: string[] = [];
  let isUnreadable = false;
  const skip = (at: string): void => {
    if (at === '') isUnreadable = true;
    if (skipped.length < MAX_SKIPPED) skipped.push(at);
  };
  let walked = 0;
  // The thread is terminated from outside.
  for await (const file of walkFiles(request, inside.real, new AbortController().signal, skip)) {
    if (++walked > MAX_WALKED || found.length > request.maxShown) break;
    if (matches(file)) found.push(printableName(inside.shown === '.' ? file : `${inside.shown}/${file}`));
  }
  if (isUnreadable) return refuse(`${request.path}: is not a readable directory`);
  return { found, skipped, walked };
}
