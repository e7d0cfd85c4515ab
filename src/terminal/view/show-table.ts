import type { Output } from './output.ts';
import type { Part } from './part.ts';
import type { ColumnOrTitle } from './table.ts';

/** The columns of a table, each with what it shows of one. */
export type Columns<One> = readonly (readonly [column: ColumnOrTitle, cell: (one: One) => Part])[];

/** Prints a row for each. */
export function showTable<One>(output: Output, all: readonly One[], columns: Columns<One>): void {
  output.table(
    columns.map(([column]) => column),
    all.map((one) => columns.map(([, cell]) => cell(one))),
  );
}
