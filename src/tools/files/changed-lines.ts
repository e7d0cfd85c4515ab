/** Where a text differs from what a focus saw of it. */
import { hashOf, type RecordedContent } from './seen-files.ts';

/** Of what is shown of the lines that differ. */
const MAX_LINES = 20;
const MAX_LINE_CHARS = 200;

/** The lines of `now` that differ from the content with this hash, in words; null if no record has its text. */
export function changedLines(now: string, hash: string, recorded: readonly RecordedContent[]): string | null {
  const before = textOf(hash, recorded);
  if (before === null) return null;
  const [old, fresh] = [before.split('\n'), now.split('\n')];
  const most = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < most && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  const changed = fresh.slice(start, fresh.length - end);
  if (changed.length === 0) {
    const gone = old.length - end - start;
    return `${gone === 1 ? '1 line' : `${gone} lines`} after line ${start} ${gone === 1 ? 'is' : 'are'} gone. `;
  }
  const lines = changed
    .slice(0, MAX_LINES)
    .map((line, index) => `${start + 1 + index}\t${line.slice(0, MAX_LINE_CHARS)}`);
  if (changed.length > MAX_LINES) lines.push(`[… ${changed.length - MAX_LINES} more]`);
  const where =
    changed.length === 1 ? `line ${start + 1} differs` : `lines ${start + 1} to ${start + changed.length} differ`;
  return `${where} now:\n${lines.join('\n').toWellFormed()}\n`;
}

/** A text with this hash: as it was written, or as it was read without the numbers of its lines. */
function textOf(hash: string, recorded: readonly RecordedContent[]): string | null {
  for (const { hash: its, text, read } of recorded.toReversed()) {
    if (its !== hash || text === null) continue;
    const found = (read === null ? [text] : unnumbered(text, read.lines)).find((one) => hashOf(one) === hash);
    if (found !== undefined) return found;
  }
  return null;
}

/** What the lines may have been: the record does not say for sure how the last one ended. */
function unnumbered(text: string, lines: number): readonly string[] {
  const body = text
    .split('\n', lines)
    .map((line) => line.slice(line.indexOf('\t') + 1))
    .join('\n');
  return [`${body}\n`, body];
}
