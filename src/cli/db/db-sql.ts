/** `animus db sql`: runs SQL on the configured database, where psql is not installed. */

import type { Command } from 'commander';
import { runStatement } from '../../store/sql/run-statement.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { readAnyInput } from '../../terminal/command/read-input.ts';
import { counted } from '../../terminal/view/quantities.ts';

/** Adds it to the group. */
export function addSqlCommand(group: Command, run: RunCommand): void {
  addCommand(group, 'sql <statement>', {
    summary: 'run SQL and print the rows; needs no psql',
    arguments: { statement: 'one statement or several, in quotes; - reads them from standard input' },
    examples: [
      `animus db sql "insert into animus.work_items (faculty, description) values ('engineer', 'Describe this project') returning id"`,
      `animus db sql "select id, state from animus.work_items order by id desc limit 5" --json`,
    ],
  }).action(run(sqlCommand));
}

async function sqlCommand(invocation: Invocation, _options: CommonOptions, given: string): Promise<number> {
  const { output, context } = invocation;
  const statement = given === '-' ? await readAnyInput(context.stdin) : given;
  const rows = await withDatabase(invocation, (db) => runStatement(db, statement));
  output.document({ rows });
  const [first] = rows;
  if (first === undefined) {
    output.note('done; no rows');
    return 0;
  }
  output.table(
    Object.keys(first).map((title) => ({ title, shrink: true })),
    rows.map((row) => Object.values(row).map(cellOf)),
  );
  output.note(counted(rows.length, 'row'));
  return 0;
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  return JSON.stringify(value);
}
