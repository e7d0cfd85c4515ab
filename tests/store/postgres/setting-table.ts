/** The matrix of settings as a table in Markdown. */
import { APPLICATION, RIGHT } from './setting-matrix.ts';

const COLUMNS = [
  'install',
  'insert',
  'claim',
  'end',
  'cancel',
  'memory',
  'search',
  'schedule',
  'list',
  'restore',
] as const;

/** `right`, `refused: WORDS` or `WRONG`; what was not tried is left out. */
export type Cells = Readonly<Partial<Record<(typeof COLUMNS)[number], string>>>;

type Outcomes = Readonly<Record<string, unknown>>;

/** Of what animus and an application got. What was refused is refused to the application: to animus nothing is. */
export function cellsOf(own: Outcomes, theirs: Outcomes): Cells {
  return Object.fromEntries(
    COLUMNS.filter((column) => column in own || column in theirs).map((column) => [
      column,
      wrong(own, RIGHT, column) ?? wrong(theirs, APPLICATION, column) ?? 'right',
    ]),
  );
}

function wrong(outcomes: Outcomes, right: Outcomes, column: string): string | null {
  const [outcome, expected] = [outcomes[column], right[column]];
  if (JSON.stringify(outcome) === JSON.stringify(expected)) return null;
  const refusal = /^[0-9A-Z]{5}: (.+)$/.exec(String(outcome));
  if (refusal !== null) return `refused: ${refusal[1]}`;
  return `WRONG: ${JSON.stringify(outcome)}`;
}

/** With a row for each setting. */
export function tableOf(rows: ReadonlyMap<string, Cells>): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  const body = [...rows].map(([title, cells]) =>
    line([`\`${title}\``, ...COLUMNS.map((column) => cells[column] ?? '–')]),
  );
  return `\n${line(['setting', ...COLUMNS])}${line(['setting', ...COLUMNS].map(() => '---'))}${body.join('')}\n`;
}
