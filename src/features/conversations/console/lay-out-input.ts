/** How the text that a person types is laid out on the terminal, below its prompt. */
import { harmless } from '../../../core/text/harmless.ts';
import { displayWidth, graphemes } from '../../../terminal/view/display-width.ts';

/** Rows with the place of the cursor in them. */
export interface LaidOut {
  readonly rows: readonly string[];
  readonly row: number;
  readonly column: number;
}

/** The prompt stands in front of the first row; the others are indented as far. At most `height` rows around the cursor are shown. */
export function layOutInput(
  { text, cursor }: { readonly text: string; readonly cursor: number },
  prompt: string,
  { width, height }: { readonly width: number; readonly height: number },
): LaidOut {
  const indent = Math.min(displayWidth(prompt), Math.max(0, width - 10));
  const rows: string[] = [];
  let place = { row: 0, column: indent };
  let offset = 0;
  for (const line of text.split('\n')) {
    let current = '';
    let used = indent;
    for (const { segment } of graphemes(line)) {
      // What would change the terminal, such as a character that reorders text, is shown as an escape.
      const shown = harmless(segment);
      const wide = displayWidth(shown);
      if (used + wide > width && used > indent) {
        rows.push(current);
        [current, used] = ['', indent];
      }
      if (offset === cursor) place = { row: rows.length, column: used };
      current += shown;
      used += wide;
      offset += segment.length;
    }
    if (offset === cursor) place = { row: rows.length, column: Math.min(used, width) };
    rows.push(current);
    offset += 1;
  }
  const from = Math.max(0, Math.min(place.row - Math.floor(height / 2), rows.length - height));
  const shown = rows.slice(from, from + height);
  const lead = (row: number) => (row + from === 0 ? prompt : ' '.repeat(indent));
  return { rows: shown.map((row, n) => lead(n) + row), row: place.row - from, column: place.column };
}
