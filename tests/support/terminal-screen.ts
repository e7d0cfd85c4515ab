/** A terminal of endless height that shows what is written to it: wraps at its width, knows wide characters, and the escape sequences that animus uses. */
import { displayWidth, graphemes } from '../../src/terminal/view/display-width.ts';

export interface TerminalScreen {
  write(text: string): void;
  /** Rows as a person sees them, without space at their end. */
  rows(): string[];
  /** Row and column of the cursor. */
  cursor(): readonly [row: number, column: number];
  resize(columns: number): void;
  /** Escape sequences that it does not know. */
  readonly unknown: readonly string[];
}

export function createTerminalScreen(size: number): TerminalScreen {
  let columns = size;
  const grid: string[][] = [[]];
  let [row, column] = [0, 0];
  const unknown: string[] = [];
  /** The beginning of an escape sequence whose rest has not come. */
  let begun = '';
  const line = () => {
    while (grid.length <= row) grid.push([]);
    return grid[row]!;
  };

  function put(character: string): void {
    const wide = displayWidth(character);
    if (wide === 0) {
      const before = line();
      if (column > 0) before[column - 1] += character;
      return;
    }
    if (column + wide > columns) [row, column] = [row + 1, 0];
    const cells = line();
    while (cells.length < column) cells.push(' ');
    cells[column] = character;
    for (let extra = 1; extra < wide; extra++) cells[column + extra] = '';
    column += wide;
  }

  function escape(parameters: string, letter: string): void {
    const n = Number(parameters || '1');
    if (letter === 'A') row = Math.max(0, row - n);
    else if (letter === 'C') column = Math.min(columns - 1, column + n);
    else if (letter === 'J' && parameters === '') {
      grid.splice(row + 1);
      line().splice(column);
    } else if (letter === 'K') line().splice(0);
    else if (letter === 'J' && parameters === '2') grid.splice(0);
    else if (letter === 'H') [row, column] = [0, 0];
    else if (letter !== 'm' && !/^\?2004$/.test(parameters)) unknown.push(`${parameters}${letter}`);
  }

  return {
    write(more) {
      const text = begun + more;
      // oxlint-disable-next-line no-control-regex
      begun = /\u001b(?:\[[?0-9;]*)?$/.exec(text)?.[0] ?? '';
      // oxlint-disable-next-line no-control-regex
      for (const [piece, parameters, letter] of text
        .slice(0, text.length - begun.length)
        .matchAll(/\u001b\[([?0-9;]*)([A-Za-z])|\r|\n|[^\u001b\r\n]+|[^]/g)) {
        if (letter !== undefined) escape(parameters!, letter);
        else if (piece === '\r') column = 0;
        else if (piece === '\n') [row, column] = [row + 1, 0];
        else for (const { segment } of graphemes(piece)) put(segment);
      }
      line();
    },
    rows: () => grid.map((cells) => cells.join('').trimEnd()),
    cursor: () => [row, column],
    resize: (next) => void (columns = next),
    unknown,
  };
}
