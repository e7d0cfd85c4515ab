/** The rows at the bottom of the terminal: the answer's last row, the calls that run, what is going on, what is said next, and the line that is typed. */
import { harmless } from '../../../core/text/harmless.ts';
import { truncate } from '../../../terminal/view/display-width.ts';
import { styled } from '../../../terminal/view/output.ts';
import type { Part, Style } from '../../../terminal/view/part.ts';
import { counted } from '../../../terminal/view/quantities.ts';
import { type LaidOut, layOutInput } from './lay-out-input.ts';

export interface Bottom {
  /** The row of the answer that may still grow. */
  readonly coming: { readonly text: string; readonly style: Style } | null;
  readonly running: readonly string[];
  readonly status: string | null;
  readonly queued: readonly string[];
  readonly prompt: { readonly text: string; readonly style: Style };
  readonly line: { readonly text: string; readonly cursor: number };
  readonly paint: (part: Part) => string;
}

export interface LaidOutBottom extends LaidOut {
  /** How many of the first rows are text of the answer. */
  readonly textRows: number;
}

/** None of the rows is wider than `width`, and together they leave a row of the terminal. */
export function layOutBottom(
  { coming, running, status, queued, prompt, line, paint }: Bottom,
  { width, rows }: { readonly width: number; readonly rows: number },
): LaidOutBottom {
  const dim = [...bounded(running, rows), ...(status === null ? [] : [status]), ...queued];
  const all = [
    ...(coming === null ? [] : [paint(styled(truncate(coming.text, width), coming.style))]),
    ...dim.map((row) => paint(styled(truncate(harmless(row), width), 'dim'))),
  ];
  const above = all.slice(-Math.max(1, rows - 3));
  const height = Math.max(1, Math.min(12, rows - above.length - 2));
  const laid = layOutInput(line, prompt.text, { width: width - 1, height });
  const lead = paint(styled(prompt.text, prompt.style));
  const typed = laid.rows.map((row) => (row.startsWith(prompt.text) ? lead + row.slice(prompt.text.length) : row));
  return {
    rows: [...above, ...typed],
    row: above.length + laid.row,
    column: laid.column,
    textRows: coming !== null && above.length === all.length ? 1 : 0,
  };
}

/** At most a quarter of the terminal, and no more than people take in. */
function bounded(running: readonly string[], rows: number): readonly string[] {
  const most = Math.max(1, Math.min(6, Math.floor(rows / 4)));
  if (running.length <= most) return running;
  return [...running.slice(0, most - 1), `  → … and ${counted(running.length - most + 1, 'more call')}`];
}
