import { harmless } from '../../core/text/harmless.ts';
import { displayWidth, pad, truncate } from './display-width.ts';
import type { Part } from './part.ts';

/** A column of a table. On a narrow terminal, `optional` columns are left out first, then `shrink` columns are cut. */
export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  readonly shrink?: boolean;
  readonly optional?: boolean;
}

/** A title alone is a column that is always whole, and aligned left. */
export type ColumnOrTitle = Column | string;

/** Aligned right, such as a number. */
export function right(title: string): Column {
  return { title, align: 'right' };
}

/** Cut where the terminal is narrow. */
export function cut(column: ColumnOrTitle): Column {
  return { ...columnOf(column), shrink: true };
}

/** Left out where the terminal is narrow. */
export function spare(column: ColumnOrTitle): Column {
  return { ...columnOf(column), optional: true };
}

function columnOf(column: ColumnOrTitle): Column {
  return typeof column === 'string' ? { title: column } : column;
}

/** The columns of a table, each with what it shows of one. */
export type Columns<One> = readonly (readonly [column: ColumnOrTitle, cell: (one: One) => Part])[];

/** Where a table is printed. */
interface Printer {
  table(columns: readonly ColumnOrTitle[], rows: readonly (readonly Part[])[]): void;
}

/** Prints a row for each. */
export function showTable<One>(output: Printer, all: readonly One[], columns: Columns<One>): void {
  output.table(
    columns.map(([column]) => column),
    all.map((one) => columns.map(([, cell]) => cell(one))),
  );
}

const GAP = '  ';
const NARROWEST = 12;
const EMPTY = { text: '', style: 'plain' } as const;

/**
 * Formats rows under their titles, within `width` columns if possible: it leaves out optional columns, last one first,
 * then cuts the widest shrinkable column.
 */
export function layOutTable(
  columnsOrTitles: readonly ColumnOrTitle[],
  rows: readonly (readonly Part[])[],
  width: number,
): Part[][] {
  const columns = columnsOrTitles.map(columnOf);
  const cells = rows.map((row) => columns.map((_, index) => plainPart(row[index] ?? '')));
  const natural = columns.map((column, index) =>
    cells.reduce((widest, row) => Math.max(widest, displayWidth(row[index]?.text ?? '')), displayWidth(column.title)),
  );
  const kept = keptColumns(columns, natural, width);
  const shown = kept.flatMap((index) => columns[index] ?? []);
  const widths = kept.map((index) => natural[index] ?? 0);
  shrink(shown, widths, width);
  const header = columns.map((column) => ({ text: column.title, style: 'dim' as const }));
  return [header, ...cells].map((row) => {
    const own = kept.map((index) => row[index] ?? EMPTY);
    return layOutRow(shown, own, widths);
  });
}

interface Cell {
  readonly text: string;
  readonly style: Exclude<Part, string>['style'];
}

function plainPart(part: Part): Cell {
  return typeof part === 'string' ? { text: harmless(part), style: 'plain' } : { ...part, text: harmless(part.text) };
}

/** The columns that fit when every shrinkable one has its minimum width. */
function keptColumns(columns: readonly Column[], widths: readonly number[], width: number): number[] {
  const least = (index: number) => {
    const natural = widths[index] ?? 0;
    return columns[index]?.shrink ? Math.min(natural, NARROWEST) : natural;
  };
  let kept = columns.map((_, index) => index);
  while (kept.reduce((sum, index) => sum + least(index), GAP.length * (kept.length - 1)) > width) {
    const dropped = kept.findLast((index) => columns[index]?.optional);
    if (dropped === undefined) break;
    kept = kept.filter((index) => index !== dropped);
  }
  return kept;
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
    const cell = row[index] ?? EMPTY;
    const last = index === columns.length - 1;
    const text = truncate(cell.text, widths[index] ?? 0);
    const padded = last && column.align !== 'right' ? text : pad(text, widths[index] ?? 0, column.align);
    return last ? [{ text: padded, style: cell.style }] : [{ text: padded, style: cell.style }, GAP];
  });
}
