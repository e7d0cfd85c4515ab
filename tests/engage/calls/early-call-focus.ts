/** Foci whose calls may run before their answer is recorded, and a database that can be watched and delayed. */
import { createJournal } from '../../../src/engage/calls/journal.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import { startTestFocus, type TestFocus, testTool } from '../../support/focus.ts';
import { engage, type LoopParts } from '../../support/run-loop.ts';

/** One answer that calls these tools, then one that ends the run. */
export function callsOf(...tools: readonly string[]): string {
  const calls = tools.map((tool, n) => `{ tool = "${tool}", input = { n = ${n + 1} } }`).join(', ');
  return `[[answer]]\nturn = 1\ncall = [${calls}]\n[[answer]]\nturn = 2\ntext = "done"`;
}

/** Runs the focus on a database that calls `before` with the name of each function that a statement calls. */
export function run(
  database: Database,
  focus: TestFocus,
  before: (name: string) => unknown,
  overrides: Partial<LoopParts> = {},
): ReturnType<typeof engage> {
  const db: Database = {
    ...database,
    async query(sql, params) {
      await before(/animus\.(\w+)\(/.exec(sql)?.[1] ?? 'read');
      return database.query(sql, params);
    },
  };
  return engage(focus.means({ db, journal: createJournal(db, focus.key), ...overrides }));
}

/** Name and state of each recorded call, in the order of the answers. */
export async function callStates(database: Database, focus: TestFocus): Promise<string[]> {
  const rows = await database.query<{ line: string }>(
    `select name || ' ' || state as line from animus.tool_calls where focus_id = $1 order by turn, position`,
    [focus.key.focusId],
  );
  return rows.map(({ line }) => line);
}

/** Whether a function of the database records an answer. */
export const isRecord = (name: string) => name.startsWith('record_turn');

/** `read` only reads, `write` does not. `seen` lists, for each call in the order of their starts, whether its answer was recorded. */
export async function watched(database: Database, script: string) {
  const seen: string[] = [];
  let focus: TestFocus | undefined;
  const look = (name: string) => async (input: Record<string, unknown>) => {
    const recorded = (await callStates(database, focus!)).length > 0;
    seen.push(`${name} ${String(input['n'])} ${recorded ? 'after' : 'before'} the record`);
    return { content: `${name} ${String(input['n'])}` };
  };
  const tools: readonly Tool[] = [testTool('read', look('read'), true), testTool('write', look('write'))];
  focus = await startTestFocus(database, { script, tools });
  /** The record waits for this many starts. */
  const afterStarts = (starts: number) => async (name: string) => {
    while (isRecord(name) && seen.length < starts) await new Promise((resolve) => setImmediate(resolve));
  };
  return { focus, seen, afterStarts };
}
