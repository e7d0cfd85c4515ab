/** Breaks a text that arrives in pieces into rows of a terminal: rows that are complete, and the one that may still grow. */
import { harmlessLines } from '../../../core/text/harmless.ts';
import { displayWidth, graphemes } from '../../../terminal/view/display-width.ts';

export interface TextFlow {
  /** Takes a piece, and returns the rows that are complete now. Control characters are shown as escapes. */
  feed(piece: string, width: number): string[];
  /** The row that is not complete; it fits the width that was given last. */
  readonly tail: string;
  /** The row that is not complete is: the text goes on in the next one. Returns whether there was one. */
  breakRow(): boolean;
  /** Ends the text, and returns its last row, if there is one. */
  end(): string[];
}

/** White space in front of the first word is left out. */
export function createTextFlow(): TextFlow {
  let tail = '';
  let begun = false;
  /** Space at the beginning of the row is that at the end of the one before. */
  let broken = false;
  /** The next piece may begin with the other half of a line end. */
  let carriageReturn = false;

  return {
    get tail() {
      return tail;
    },
    feed(piece, width) {
      let text = carriageReturn ? `\r${piece}` : piece;
      carriageReturn = text.endsWith('\r');
      if (carriageReturn) text = text.slice(0, -1);
      if (!begun) text = text.trimStart();
      else if (broken) text = text.replace(/^[ \t]+/, '');
      if (text === '') return [];
      begun = true;
      broken = false;
      const rows: string[] = [];
      for (const [index, line] of harmlessLines(text).entries()) {
        if (index > 0) {
          rows.push(tail.trimEnd());
          tail = '';
        }
        const complete = breakLine(tail + line, width);
        tail = complete.pop() ?? '';
        rows.push(...complete);
      }
      return rows;
    },
    breakRow() {
      if (tail.trim() === '') return false;
      tail = '';
      broken = true;
      return true;
    },
    end() {
      const last = tail.trimEnd();
      tail = '';
      begun = false;
      broken = false;
      carriageReturn = false;
      return last === '' ? [] : [last];
    },
  };
}

/** The rows of a line, broken between words where there are any. The last one may still grow, so it keeps the space at its end. */
function breakLine(line: string, width: number): string[] {
  const rows: string[] = [];
  let rest = line;
  for (;;) {
    const fits = fitting(rest, width);
    if (fits === rest.length) return [...rows, rest];
    // The row may be full at the end of a word.
    const space = /\s/.test(rest[fits] ?? '') ? fits : rest.slice(0, fits).search(/\s\S*$/);
    // Never within the indentation.
    const isBetween = space > 0 && rest.slice(0, space).trim() !== '';
    const at = isBetween ? space : fits;
    rows.push(rest.slice(0, at).trimEnd());
    rest = isBetween ? rest.slice(at).trimStart() : rest.slice(at);
    // White space at the end of a full row.
    if (rest === '') return [...rows, ''];
  }
}

/** More characters than a row of any width has, so that a line of a megabyte is not measured again for each of its rows. */
const CHARS_PER_COLUMN = 8;

/** How many characters fit; at least one, so that there is an end. */
function fitting(text: string, width: number): number {
  const looked = text.slice(0, width * CHARS_PER_COLUMN).toWellFormed();
  if (looked.length === text.length && displayWidth(text) <= width) return text.length;
  let used = 0;
  for (const { segment, index } of graphemes(looked)) {
    used += displayWidth(segment);
    if (used > width) return Math.max(index, 1);
  }
  return looked.length;
}
