/** Finds files by name; runs in the worker of glob, where neither a slow pattern nor a huge directory holds anybody up. */
import { printableName } from '../printable-name.ts';
import { isRefusal, type Refusal, refuse } from '../refusal.ts';
import { type Bounds, resolveInside } from '../workspace.ts';
import { compileGlob } from './glob-pattern.ts';
import { walkFiles } from './walk.ts';

export const MAX_SHOWN = 1000;
export const MAX_WALKED = 200_000;
/** Of directories that could not be read. */
const MAX_SKIPPED = 11;

/** What to look for and where. */
export interface GlobRequest extends Bounds {
  readonly path: string;
  readonly pattern: string;
}

/** At most one path more than is shown; `skipped` could not be read. */
export interface GlobResult {
  readonly found: readonly string[];
  readonly skipped: readonly string[];
  readonly walked: number;
}

/** Walks the directory until there are enough files, of those that match or of all. A refusal is for the model. */
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
  // The thread is ended from outside.
  for await (const file of walkFiles(request, inside.real, new AbortController().signal, skip)) {
    if (++walked > MAX_WALKED || found.length > MAX_SHOWN) break;
    if (matches(file)) found.push(printableName(inside.shown === '.' ? file : `${inside.shown}/${file}`));
  }
  if (isUnreadable) return refuse(`${request.path}: is no directory that can be read`);
  return { found, skipped, walked };
}
