/** What a search left out because ignore files name it or because it is generated: an agent must not take it for «not there». */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../../../core/files/if-missing.ts';
import type { ToolContext } from '../../tool.ts';
import { printableName } from '../printable-name.ts';
import { isRefusal } from '../refusal.ts';
import { resolveInside } from '../workspace.ts';
import { type FileSearch, findFiles } from './find-files.ts';
import { namesInside } from './names-inside.ts';
import type { Notes } from './notes.ts';
import { maySee, type SearchPlace } from './place.ts';

/** A second look at more than these is not worth its time. */
const MAX_LOOKED_AT = 200;
/** Of the time of a call, for the search itself. */
const SHARE = 0.7;
const MIN_MS = 150;
const MAX_FILES = 50_000;
const MAX_NAMED = 3;

export interface LeftOut {
  /** As the model sees them. */
  readonly paths: readonly string[];
  readonly more: boolean;
  /** Files below them that the search was for, as far as was looked. */
  readonly files: number | null;
  readonly matching: readonly string[];
  /** False: there may be more that match. */
  readonly isComplete: boolean;
}

/** The time of a call: how much the search itself may take, and then what it left out. */
export interface SearchTime {
  readonly searchMs: number;
  /** As much as the search took, and at least 150 ms, within what is left. */
  leftOutMs(): number;
}

/** Starts the time. */
export function searchTime(limitMs: number): SearchTime {
  const startedAt = performance.now();
  return {
    searchMs: SHARE * limitMs,
    leftOutMs() {
      const tookMs = performance.now() - startedAt;
      return Math.min(limitMs - tookMs, Math.max(MIN_MS, tookMs));
    },
  };
}

/** Looks through what was left out; null if nothing was. It takes at most `limitMs`: what is generated can be much. */
export async function lookAtLeftOut(
  notes: Notes,
  search: Pick<FileSearch, 'place' | 'list' | 'options' | 'matches' | 'limitMs'>,
  context: ToolContext,
): Promise<LeftOut | null> {
  const { place, matches } = search;
  const named = notes.ignored.filter((below) => maySee(place, below)).toSorted();
  const first = await Promise.all(
    named.slice(0, MAX_LOOKED_AT).map(async (below) => ({ below, kind: await kindOf(place, below, context) })),
  );
  // A file that the glob does not select was not left out.
  const looked = first.filter(({ below, kind }) => kind === 'directory' || (kind === 'file' && matches(below)));
  const left = [...looked.map(({ below }) => below), ...named.slice(MAX_LOOKED_AT)];
  if (left.length === 0) return null;
  const paths = looked.map(({ below }) => `./${below}`);
  const options = ['--no-ignore', ...search.options];
  const found = paths.length === 0 ? null : await findFiles({ ...search, options, paths, most: MAX_FILES }, context);
  const shown = (below: string) => printableName(place.shownBefore + below);
  const known = found === null || isRefusal(found) ? null : found;
  // A link in place of a directory may have led the second look elsewhere.
  const matching = await namesInside(place.directory, known?.found.map(({ below }) => below) ?? [], context);
  return {
    paths: left.map(shown),
    more: notes.manyIgnored,
    files: known?.files ?? null,
    matching: matching.map(shown).toSorted(),
    isComplete: known?.ended === 'finished' && !notes.manyIgnored && named.length <= MAX_LOOKED_AT,
  };
}

/** Null for a link, which ripgrep would follow if it is named, and for what is gone. The name was read from a text that file names can forge. */
async function kindOf(place: SearchPlace, below: string, context: ToolContext): Promise<'directory' | 'file' | null> {
  const real = join(place.directory, below);
  const inside = await resolveInside(context, real);
  if (isRefusal(inside) || !inside.exists || inside.real !== real) return null;
  const stats = await lstat(real).catch(ifMissing(null));
  return stats?.isDirectory() ? 'directory' : stats?.isFile() ? 'file' : null;
}

/** One line about it for the model. */
export function leftOutNote({ paths, more, files, matching, isComplete }: LeftOut): string {
  const named = `${paths.slice(0, MAX_NAMED).join(', ')}${paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED}${more ? ' or more' : ''} others` : ''}`;
  const least = isComplete ? '' : 'at least ';
  const count = files === null ? '' : `${least}${files} ${files === 1 ? 'file' : 'files'}; `;
  const none = isComplete ? 'none matches' : 'no match so far';
  const some = matching.length === 1 ? `1 matches: ${matching[0]}` : `${matching.length} match, such as ${matching[0]}`;
  const matched = matching.length === 0 ? none : `${least}${some}`;
  return `[left out as ignored or generated: ${named} (${count}${matched}); ignored = true includes them]`;
}
