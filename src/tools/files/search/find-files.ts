/** Finds files: all that a search would read, or those that contain a match, with the number of their matching lines. */
import { isRefusal, type Refusal } from '../refusal.ts';
import { belowOf } from './find-lines.ts';
import type { GlobMatcher } from './glob-pattern.ts';
import { topOf } from './not-reached.ts';
import { maySee, type SearchPlace } from './place.ts';
import { type RunEnd, ripgrep } from './ripgrep.ts';

export interface FileSearch {
  readonly place: SearchPlace;
  /** `all`: files by their names; there is no pattern. */
  readonly list: 'all' | 'matching';
  readonly options: readonly string[];
  readonly matches: GlobMatcher;
  /** Paths to look at, also if they are ignored; default: the place. */
  readonly paths?: readonly string[];
  /** It stops after so many. */
  readonly most: number;
  readonly limitMs: number;
  readonly stdin?: string;
}

/** Paths below the place; of list `all`, `lines` is 0. */
export interface FoundFile {
  readonly below: string;
  readonly lines: number;
}

export interface FoundFiles extends RunEnd {
  /** In the order of ripgrep. */
  readonly found: readonly FoundFile[];
  /** The tops of all paths that ripgrep has named. */
  readonly tops: ReadonlySet<string>;
  /** Files looked at; of list `matching` null if it ended early. */
  readonly files: number | null;
}

export async function findFiles(
  search: FileSearch,
  host: Parameters<typeof ripgrep>[1],
): Promise<FoundFiles | Refusal> {
  const { place, list, options, matches, most, limitMs, paths, stdin } = search;
  const found: FoundFile[] = [];
  let [files, path]: [number, string | null] = [0, null];
  let searched: number | null = null;
  const tops = new Set<string>();
  const add = (below: string, lines: number): boolean => {
    tops.add(topOf(below));
    if (matches(below) && maySee(place, below)) found.push({ below, lines });
    return found.length <= most;
  };
  const end = await ripgrep(
    {
      place,
      args: [...(list === 'all' ? ['--files'] : ['--count', '--stats', '--with-filename']), '--null', ...options],
      ...(paths !== undefined && { paths }),
      ...(stdin !== undefined && { stdin }),
      separator: '\0',
      limitMs,
      take(record) {
        files++;
        if (list === 'all') return add(belowOf(record), 0);
        // PATH NUL COUNT CR LF PATH NUL …: a record is the count of the path before it, and the next path; at the end, the statistics.
        const [, count, rest] = /^(?:(\d+)\r?\n)?([^]*)$/.exec(record)!;
        const before = path;
        path = rest!;
        searched = Number(/^(\d+) files searched$/m.exec(rest!)?.[1] ?? Number.NaN) || searched;
        return before === null || count === undefined || add(belowOf(before), Number(count));
      },
    },
    host,
  );
  return isRefusal(end) ? end : { ...end, found, tops, files: list === 'all' ? files : searched };
}
