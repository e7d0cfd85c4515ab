import { displayWidth, harmless, pad, truncate } from './display-width.ts';
import type { Column, Part } from './output.ts';

const GAP = '  ';
const NARROWEST = 8;

/** Lays rows out under their titles, within `width` columns: the widest shrinkable column gives way first. */
export function layOutTable(columns: readonly Column[], rows: readonly (readonly Part[])[], width: number): Part[][] {
  const cells = rows.map((row) => columns.map((_, index) => plainPart(row[index] ?? '')));
  const widths = columns.map((column, index) =>
    Math.max(displayWidth(column.title), ...cells.map((row) => displayWidth(row[index]?.text ?? ''))),
  );
  shrink(columns, widths, width);
  const header = columns.map((column) => ({ text: column.title, style: 'dim' as const }));
  return [header, ...cells].map((row) => layOutRow(columns, row, widths));
}

interface Cell {
  readonly text: string;
  readonly style: Exclude<Part, string>['style'];
}

function plainPart(part: Part): Cell {
  return typeof part === 'string' ? { text: harmless(part), style: 'plain' } : { ...part, text: harmless(part.text) };
}

function shrink(columns: readonly Column[], widths: number[], width: number): void {
  const total = () => widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1);
  while (total() > width) {
    let widest = -1;
    for (const [index, column] of columns.entries()) {
      const current = widths[index] ?? 0;
      if (column.shrink && current > NARROWEST && current > (widths[widest] ?? 0)) widest = index;
    }
    if (widest === -1) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}

function layOutRow(columns: readonly Column[], row: readonly Cell[], widths: readonly number[]): Part[] {
  return columns.flatMap((column, index) => {
    const cell = row[index] ?? { text: '', style: 'plain' };
    const last = index === columns.length - 1;
    const text = truncate(cell.text, widths[index] ?? 0);
    const padded = last && column.align !== 'right' ? text : pad(text, widths[index] ?? 0, column.align);
    return last ? [{ text: padded, style: cell.style }] : [{ text: padded, style: cell.style }, GAP];
  });
}
