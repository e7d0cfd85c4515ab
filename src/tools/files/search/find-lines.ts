/** Finds lines: reads the JSON that ripgrep prints. */
import { isRefusal, type Refusal } from '../refusal.ts';
import type { GlobMatcher } from './glob-pattern.ts';
import { maySee, type SearchPlace } from './place.ts';
import { type RunEnd, ripgrep } from './ripgrep.ts';

/** A line that matches, or one before or after it; `line` counts from 1. Text of several lines: a match of a pattern over several lines. */
export interface FoundLine {
  /** The path of its file below the place. */
  readonly below: string;
  readonly line: number;
  readonly text: string;
  readonly isContext: boolean;
  /** Where its line begins, in bytes of the file as UTF-8, and its first bytes: to check that it is in the file that it is said to be in. */
  readonly offset: number;
  readonly start: Buffer;
}

/** In the order of paths and lines, unless it ended early. */
export interface FoundLines extends RunEnd {
  readonly lines: readonly FoundLine[];
  /** Lines that match. */
  readonly count: number;
  /** Binary files that match, below the place. */
  readonly binary: readonly string[];
  /** Files searched; null if it ended early. */
  readonly files: number | null;
}

export interface LineSearch {
  readonly place: SearchPlace;
  /** Of the pattern and of the files. */
  readonly options: readonly string[];
  readonly matches: GlobMatcher;
  /** Lines around each match. */
  readonly before: number;
  readonly after: number;
  /** So many matching lines are wanted. */
  readonly most: number;
  /** A longer line is cut around its match. */
  readonly maxLineChars: number;
  readonly limitMs: number;
  /** A text that is searched instead of files. */
  readonly stdin?: string;
}

/**
 * Searches with all processors, in no order, and sorts what was found. If that is much more than is wanted, it searches again, file by file in their
 * order, until there is enough: the same call gives the same lines.
 */
export async function findLines(search: LineSearch, host: Host): Promise<FoundLines | Refusal> {
  const until = performance.now() + search.limitMs;
  const all = await runOnce(search, { enough: 1000 + 4 * search.most, order: [] }, host);
  if (isRefusal(all) || all.ended !== 'enough') return all;
  const limitMs = Math.max(1000, until - performance.now());
  return runOnce({ ...search, limitMs }, { enough: search.most, order: ['--sort=path'] }, host);
}

/** Enough of a line to tell files apart. */
const CHECKED_BYTES = 256;

type Host = Parameters<typeof ripgrep>[1];

async function runOnce(
  { place, options, matches, before, after, maxLineChars, limitMs, stdin }: LineSearch,
  { enough, order }: { readonly enough: number; readonly order: readonly string[] },
  host: Host,
): Promise<FoundLines | Refusal> {
  const files: FileLines[] = [];
  const binary: string[] = [];
  const tooLong: string[] = [];
  let [count, searched]: [number, number | null] = [0, null];
  let file: FileLines | null = null;
  const end = await ripgrep(
    {
      place,
      args: ['--json', `-B${before}`, `-A${after}`, `--max-count=${enough + 1}`, ...order, ...options],
      ...(stdin !== undefined && { stdin }),
      separator: '\n',
      limitMs,
      take(record) {
        const { type, data } = JSON.parse(record) as Message;
        if (type === 'begin') file = { below: belowOf(textOf(data.path)), lines: [] };
        else if (type === 'match' || type === 'context') file?.lines.push(lineOf(data, type, maxLineChars));
        else if (type === 'summary') searched = data.stats.searches;
        else if (type === 'end' && file !== null && matches(file.below) && maySee(place, file.below)) {
          if (data.binary_offset !== null) binary.push(file.below);
          else if (file.lines.length === 0 && data.stats.matched_lines > 0) tooLong.push(file.below);
          else {
            files.push(file);
            count += file.lines.filter(({ isContext }) => !isContext).length;
          }
        }
        return count <= enough;
      },
    },
    host,
  );
  if (isRefusal(end)) return end;
  files.sort((a, b) => (a.below < b.below ? -1 : 1));
  const lines = files.flatMap(({ below, lines: found }) => found.map((line) => ({ below, ...line })));
  return {
    ...end,
    unread: [...end.unread, ...tooLong.map((below) => ({ below, why: 'the matching line is too long to be shown' }))],
    unreadCount: end.unreadCount + tooLong.length,
    lines,
    count,
    binary: binary.sort(),
    files: searched,
  };
}

interface FileLines {
  readonly below: string;
  readonly lines: Omit<FoundLine, 'below'>[];
}

/** What ripgrep prints: https://docs.rs/grep-printer, «JSON». Text that is not UTF-8 comes as Base64. */
type Message =
  | { readonly type: 'begin'; readonly data: { readonly path: Text } }
  | { readonly type: 'match' | 'context'; readonly data: LineData }
  | { readonly type: 'end'; readonly data: { readonly binary_offset: number | null; readonly stats: Stats } }
  | { readonly type: 'summary'; readonly data: { readonly stats: { readonly searches: number } } };

interface Stats {
  readonly matched_lines: number;
}

type Text = { readonly text: string } | { readonly bytes: string };

interface LineData {
  readonly lines: Text;
  readonly line_number: number;
  readonly absolute_offset: number;
  readonly submatches: readonly { readonly start: number }[];
}

function lineOf(data: LineData, type: 'match' | 'context', most: number): Omit<FoundLine, 'below'> {
  const bytes = bytesOf(data.lines);
  const text = bytes.toString().replace(/\r?\n$/, '');
  const at = text.length <= most ? 0 : bytes.subarray(0, data.submatches[0]?.start ?? 0).toString().length;
  const start = Buffer.from(bytes.subarray(0, CHECKED_BYTES));
  return {
    line: data.line_number,
    text: around(text, at, most),
    isContext: type === 'context',
    offset: data.absolute_offset,
    start,
  };
}

/** Cuts a long line around its match. */
function around(line: string, at: number, most: number): string {
  if (line.length <= most) return line;
  const from = Math.max(0, Math.min(Math.floor(at - most / 3), line.length - most));
  const part = line.slice(from, from + most).toWellFormed();
  return `${from > 0 ? '…' : ''}${part}${from + most < line.length ? '…' : ''}`;
}

function bytesOf(text: Text): Buffer {
  return 'text' in text ? Buffer.from(text.text) : Buffer.from(text.bytes, 'base64');
}

function textOf(text: Text): string {
  return bytesOf(text).toString();
}

/** Paths begin with `./`. */
export function belowOf(path: string): string {
  return path.replace(/^\.\//, '');
}
