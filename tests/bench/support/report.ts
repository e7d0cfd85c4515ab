/** Prints a figure, and keeps it for the one table of `npm run bench -- all`. */
import { appendFileSync } from 'node:fs';

/** What was measured, of whom, and the figures by name, with units in the names. */
export interface Row {
  readonly what: string;
  readonly who: string;
  readonly figures: Readonly<Record<string, string>>;
}

/** The file to which every row is appended as a line of JSON; set by `npm run bench -- all`. */
export const REPORT_VARIABLE = 'ANIMUS_BENCH_REPORT';

/** Keeps a row; prints nothing. */
export function report(row: Row): void {
  const file = process.env[REPORT_VARIABLE];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(row)}\n`);
}

/** A number as people read it. */
export function figure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2);
}
