/** What a search left out because ignore files name it or because it is generated: an agent must not take it for «not there». */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../../../core/files/if-missing.ts';
import type { ToolContext } from '../../tool.ts';
import { printableName } from '../printable-name.ts';
import { isRefusal } from '../refusal.ts';
import { resolveInside } from '../workspace.ts';
import { type FileSearch, findFiles } from './find-files.ts';
import type { Notes } from './notes.ts';
import { maySee, type SearchPlace } from './place.ts';

/** A second look at more than these is not worth its time. */
const MAX_LOOKED_AT = 200;
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
  return {
    paths: left.map(shown),
    more: notes.manyIgnored,
    files: known?.files ?? null,
    matching: known?.found.map(({ below }) => shown(below)).toSorted() ?? [],
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
  const count = files === null ? '' : `${isComplete ? '' : 'at least '}${files} ${files === 1 ? 'file' : 'files'}; `;
  const matched =
    matching.length === 0
      ? isComplete
        ? 'none of them matches'
        : 'none of those looked at matches'
      : `${isComplete ? '' : 'at least '}${matching.length} of them ${matching.length === 1 ? `matches, ${matching[0]}` : `match, such as ${matching[0]}`}`;
  return `[left out as ignored or generated: ${named} (${count}${matched}); ignored = true includes them]`;
}
