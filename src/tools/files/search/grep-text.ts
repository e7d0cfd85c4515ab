/** What the model and code get of a search for lines. */
import type { ToolOutput } from '../../tool.ts';
import type { Bounds } from '../mounts.ts';
import type { GrepAnswer, PathCount, PathLine } from './answer.ts';
import type { GrepAsked } from './asked.ts';
import { leftOutNote } from './left-out.ts';
import { someOf } from './not-reached.ts';
import { filesInside, linesInside } from './surely-inside.ts';

const MAX_NAMED = 10;

/** The part of the results that was asked for, and what the search did not see. */
export async function showAnswer(answer: GrepAnswer, asked: GrepAsked, bounds: Bounds): Promise<ToolOutput> {
  const { limit, offset, output } = asked;
  const matching = answer.lines.flatMap(({ isContext }, index) => (isContext ? [] : [index]));
  const all = output === 'lines' ? matching.length : answer.counts.length;
  const lines = await linesInside(withContext(answer.lines, matching.slice(offset, offset + limit), asked), bounds);
  const counts = await filesInside(answer.counts.slice(offset, offset + limit), bounds);
  const shown = Math.max(0, Math.min(limit, all - offset));
  const more = all > offset + limit || answer.ended !== 'finished';
  const content = output === 'lines' ? textOf(lines.sure) : counts.sure.map((file) => fileText(file, output));
  const changed = [...lines.changed, ...counts.changed];
  return {
    content: [...content, ...notesOn(answer, asked, { all, shown, changed })].join('\n'),
    details: { matches: shown, files: answer.files, more },
    data: () => ({
      ...(output === 'lines' && { matches: lines.sure.map(lineData) }),
      ...(output === 'files' && { paths: counts.sure.map(({ path }) => path) }),
      ...(output === 'counts' && { counts: counts.sure.map(({ path, lines: n }) => ({ path, lines: n })) }),
      files: answer.files,
      more,
    }),
  };
}

function lineData({ path, line, text, isContext }: PathLine) {
  return { path, line, text, ...(isContext && { context: true }) };
}

function fileText({ path, lines }: PathCount, output: GrepAsked['output']): string {
  return output === 'files' ? path : `${path}:${lines}`;
}

/** The matches at these places, with the lines around the first and the last one; what is between them belongs to them. */
function withContext(
  lines: readonly PathLine[],
  matching: readonly number[],
  { before, after }: GrepAsked,
): readonly PathLine[] {
  const [first, last] = [matching[0], matching.at(-1)];
  if (first === undefined || last === undefined) return [];
  const isAround = (index: number, match: number, most: number) => {
    const [line, of] = [lines[index], lines[match]!];
    return line?.isContext === true && line.path === of.path && Math.abs(line.line - of.line) <= most;
  };
  let [from, to] = [first, last];
  while (isAround(from - 1, first, before)) from--;
  while (isAround(to + 1, last, after)) to++;
  return lines.slice(from, to + 1);
}

/** `path:line:text`, and `path-line-text` for context, with a line between places that are not next to each other. */
function textOf(lines: readonly PathLine[]): readonly string[] {
  const hasContext = lines.some(({ isContext }) => isContext);
  return lines.flatMap(({ path, line, text, isContext }, index) => {
    const before = lines[index - 1];
    const isApart =
      before !== undefined && (before.path !== path || before.line + before.text.split('\n').length !== line);
    const mark = isContext ? '-' : ':';
    const own = text.split('\n').map((part, nth) => `${path}${mark}${line + nth}${mark}${part}`);
    return hasContext && isApart ? ['--', ...own] : own;
  });
}

function notesOn(
  { files, ended, binary, unread, unreadCount, leftOut, notReached, keptLeftOut }: GrepAnswer,
  { pattern, offset, output, path }: GrepAsked,
  { all, shown, changed }: { readonly all: number; readonly shown: number; readonly changed: readonly string[] },
): readonly string[] {
  const what = output === 'lines' ? 'matching lines' : 'files with matches';
  const notes = [
    all === 0 &&
      ended === 'finished' &&
      `[no line of ${files} files${unreadCount > 0 ? ' that could be read' : ''} matches ${pattern}]`,
    all > 0 && shown === 0 && `[there are only ${all} ${what}]`,
    shown > 0 &&
      (all > offset + shown || ended === 'enough') &&
      `[${what} ${offset + 1} to ${offset + shown}; for more, set offset = ${offset + shown}, or narrow path, glob or pattern]`,
    ended === 'timeout' &&
      `[stopped before all files were searched${all === 0 ? '; nothing was found so far' : ''}. They are searched in no order: no directory is surely done${notReached.length === 0 ? '' : `, and these, without a match so far, perhaps not begun: ${someOf(notReached)}`}. Search narrower paths than ${path}]`,
    changed.length > 0 && `[changed while they were searched: ${some(changed, changed.length)}; search again]`,
    binary.length > 0 && `[binary files match, whose lines are not shown: ${some(binary, binary.length)}]`,
    unreadCount > 0 && `[could not be read: ${some(unread, unreadCount)}]`,
    leftOut !== null && leftOutNote(leftOut),
    keptLeftOut > 0 &&
      `[not searched: ${keptLeftOut} older conversations and files that came with messages; give the path of one]`,
  ];
  return notes.filter((note) => note !== false);
}

function some(names: readonly string[], count: number): string {
  const named = names.slice(0, MAX_NAMED);
  return `${named.join(', ')}${count > named.length ? ` and ${count - named.length} others` : ''}`;
}
