/** `animus audit export`. */
import { usageError } from '../../core/errors/errors.ts';
import { harmlessJson } from '../../core/text/harmless.ts';
import type { CommonOptions, Invocation } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import type { Output } from '../../terminal/view/output.ts';
import { exportAudit } from './readings.ts';
import type { AuditRow, RefusedCall } from './rows.ts';

export const EXPORT_FORMATS = ['jsonl', 'csv'] as const;

interface ExportOptions extends CommonOptions {
  readonly since?: Date;
  readonly until?: Date;
  readonly format?: (typeof EXPORT_FORMATS)[number];
  readonly heads?: boolean;
}

/** Prints decisions, and calls that were refused, while it reads them. Exits 0, also when there are none. */
export async function exportCommand(invocation: Invocation, options: ExportOptions): Promise<number> {
  const { output } = invocation;
  const { since, until, heads = false } = options;
  const csv = options.format === 'csv';
  if (csv && options.json) throw usageError('give --json or --format csv, not both');
  if (since && until && since >= until) {
    throw usageError('--since must be before --until');
  }
  if (heads && (csv || since || until)) {
    const detail =
      '--heads prints the newest decision of every chain as JSON Lines: leave out --since, --until and --format csv';
    throw usageError(detail);
  }
  await withDatabase(invocation, async (db) => {
    if (csv) output.copyable(CSV_COLUMNS.join(','));
    for await (const row of await exportAudit.run(db, { since, until, heads })) {
      if (csv) output.copyable(CSV_COLUMNS.map((column) => csvCell((row as CsvRow)[column] ?? null)).join(','));
      else printJson(output, row);
    }
  });
  return 0;
}

/** One line of JSON, with and without `--json`. */
function printJson(output: Output, row: object): void {
  if (output.json) output.event(row);
  else output.copyable(harmlessJson(row));
}

const CSV_COLUMNS = [
  ...(['id', 'created_at', 'decided_by', 'action', 'note', 'erased', 'work_item_id', 'target', 'faculty'] as const),
  ...(['submitted_by', 'submitted_at', 'call_id', 'focus_id', 'turn', 'tool', 'seq', 'salt'] as const),
  ...([
    'note_digest',
    'work_digest',
    'subject_digest',
    'previous_hash',
    'hash',
    'refused_by',
    'rule',
    'token_id',
  ] as const),
] satisfies readonly (keyof CsvRow)[];

type CsvRow = Partial<Omit<AuditRow, 'action'> & Omit<RefusedCall, 'action'>> & { readonly action: string };

/** A cell as RFC 4180 wants it. A text that a spreadsheet would run as a formula begins with an apostrophe instead. */
function csvCell(value: string | number | boolean | null): string {
  if (value === null) return '';
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
