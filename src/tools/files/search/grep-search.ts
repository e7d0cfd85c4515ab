/** A search for lines, from what was asked to what was found: in the files of the workspace and in those of the database. */
import { join } from 'node:path';
import { computingMs } from '../../in-thread.ts';
import type { ToolContext } from '../../tool.ts';
import { withMounts } from '../mounts.ts';
import { printableName } from '../printable-name.ts';
import { isRefusal, type Refusal, refuse } from '../refusal.ts';
import type { GrepAnswer } from './answer.ts';
import type { GrepAsked } from './asked.ts';
import { type FileSearch, type FoundFiles, findFiles } from './find-files.ts';
import { type FoundLines, findLines } from './find-lines.ts';
import { readKeptTexts, searchKeptTexts } from './kept-texts.ts';
import { lookAtLeftOut, searchTime } from './left-out.ts';
import { directoriesNotNamed } from './not-reached.ts';
import { maySee, type SearchPlace, searchPlace } from './place.ts';
import { ignoreOptions, patternOptions, whichFiles } from './what.ts';

const MAX_FILES = 100_000;

/** A refusal is for the model. */
export async function searchText(asked: GrepAsked, context: ToolContext): Promise<GrepAnswer | Refusal> {
  const which = whichFiles(asked);
  if (isRefusal(which)) return which;
  const place = await searchPlace(asked.path, context);
  if (isRefusal(place)) return place;
  const kept = await readKeptTexts(asked, which.matches, context);
  if (place === null && kept.texts.length === 0) return refuse(`${asked.path}: no such file or directory`);
  const inKept = await searchKeptTexts(kept.texts, asked, context);
  if (isRefusal(inKept)) return inKept;
  // A file in the database stands before a real one of its path.
  const taken = new Set(kept.texts.map(({ below }) => below));
  const options = [...which.options, ...patternOptions(asked)];
  const matches = (below: string) => which.matches(below) && !taken.has(below);
  const inFiles =
    place === null || taken.has('') ? NOTHING : await searchFiles(place, { options, matches }, asked, context);
  return isRefusal(inFiles) ? inFiles : together(inFiles, inKept, kept.leftOut);
}

async function searchFiles(
  place: SearchPlace,
  which: Pick<FileSearch, 'options' | 'matches'>,
  asked: GrepAsked,
  context: ToolContext,
): Promise<GrepAnswer | Refusal> {
  const time = searchTime(computingMs(context));
  const { matches } = which;
  const common = {
    place,
    matches,
    options: [...ignoreOptions(asked.ignored), ...which.options],
    limitMs: time.searchMs,
  };
  const found =
    asked.output === 'lines'
      ? await findLines({ ...common, ...asked, most: asked.offset + asked.limit }, context)
      : await findFiles({ ...common, list: 'matching', most: MAX_FILES }, context);
  if (isRefusal(found)) return found;
  const leftOut = await lookAtLeftOut(found, { place, list: 'matching', ...which, limitMs: time.leftOutMs() }, context);
  const named = 'tops' in found ? found.tops : [...found.lines.map(({ below }) => below), ...found.binary];
  const notReached =
    found.ended === 'timeout' && place.file === null
      ? await directoriesNotNamed(place, named, found, await withMounts(context, [asked.path]))
      : [];
  return { ...shownFrom(place, found), leftOut, notReached, keptLeftOut: 0 };
}

/** What was found, by the paths that the model sees. */
function shownFrom(
  place: SearchPlace,
  found: FoundLines | FoundFiles,
): Omit<GrepAnswer, 'leftOut' | 'notReached' | 'keptLeftOut'> {
  const shown = (below: string) => printableName(place.shownBefore + below);
  const { ended, files, unread, unreadCount } = found;
  return {
    ended,
    files,
    unreadCount,
    lines:
      'lines' in found
        ? found.lines.map(({ below, ...line }) => ({ ...line, path: shown(below), real: join(place.directory, below) }))
        : [],
    counts:
      'found' in found
        ? found.found.map(({ below, lines }) => ({ path: shown(below), real: join(place.directory, below), lines }))
        : [],
    binary: 'binary' in found ? found.binary.map(shown) : [],
    unread: unread.filter(({ below }) => maySee(place, below)).map(({ below, why }) => `${shown(below)} (${why})`),
  };
}

function together(inFiles: GrepAnswer, inKept: Pick<GrepAnswer, 'lines' | 'counts'>, keptLeftOut: number): GrepAnswer {
  return {
    ...inFiles,
    keptLeftOut,
    // The sort is stable: lines of a file stay in their order.
    lines: [...inKept.lines, ...inFiles.lines].toSorted(byPath),
    counts: [...inKept.counts, ...inFiles.counts].toSorted(byPath),
  };
}

function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : Number(a.path > b.path);
}

const NOTHING: GrepAnswer = {
  lines: [],
  counts: [],
  files: 0,
  ended: 'finished',
  binary: [],
  unread: [],
  unreadCount: 0,
  leftOut: null,
  notReached: [],
  keptLeftOut: 0,
};
