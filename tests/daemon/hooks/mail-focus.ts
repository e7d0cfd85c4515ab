/** A focus that sends mail, with hooks around its calls. */
import { z } from 'zod';
import type { Database } from '../../../src/store/sql/database.ts';
import { type Tool, type ToolOutput, worldTool } from '../../../src/tools/tool.ts';
import { type HookedFocus, type HookedOptions, hookedFocus } from './hooked-focus.ts';

/** A tool that notes that it runs, and gives what `result` says. */
function tool(
  db: Database,
  name: string,
  note: (line: string) => void,
  result: (input: { to: string }) => ToolOutput,
  reads = false,
): Tool {
  return worldTool({
    name,
    description: name,
    risk: reads ? 'read' : 'write',
    idempotent: reads,
    input: z.strictObject({ to: z.string(), copies: z.int().default(1) }),
    run: async (input, { focusId }) => {
      const recorded = await db.query(`select from animus.tool_calls where focus_id = $1`, [focusId]);
      note(`${name} ${JSON.stringify(input)}${reads ? ` ${recorded.length > 0 ? 'after' : 'before'} the record` : ''}`);
      return result(input);
    },
  });
}

/** A call as a script of answers has it. */
export const CALL = (name: string, to = 'bob') => `{ tool = "${name}", input = { to = "${to}" } }`;

/** One answer with these calls, then the end. */
const script = (...calls: readonly string[]) =>
  `[[answer]]\nturn = 1\ncall = [${calls.join(', ')}]\n[[answer]]\nturn = 2\ntext = "done"`;

/** Every tool but `read` gives it away. */
export const SECRET = 'hunter2-hunter2';

/** A focus with tools that send, read, fail, and are cut off; its model makes these calls at once. */
export function mailFocus(
  db: Database,
  hooks: HookedOptions['hooks'],
  calls: readonly string[] = [CALL('send')],
): Promise<HookedFocus> {
  return hookedFocus(db, {
    script: script(...calls),
    hooks,
    tools: (note) => [
      tool(db, 'send', note, ({ to }) => ({ content: `sent to ${to}: ${SECRET}`, details: { raw: SECRET } })),
      tool(db, 'read', note, ({ to }) => ({ content: `read ${to}` }), true),
      tool(db, 'fail', note, () => {
        throw new Error(`cannot log in with ${SECRET}`);
      }),
      tool(db, 'doubt', note, () => ({ content: `cut off: ${SECRET}`, isError: true, inDoubt: true })),
    ],
  });
}

/** Runs it with answers that are recorded only once something was noted: calls that may start before that do. */
export function runEarly(database: Database, hooked: HookedFocus): ReturnType<HookedFocus['run']> {
  const db: Database = {
    ...database,
    async query(sql, params) {
      while (sql.includes('animus.record_turn') && hooked.seen().length === 0)
        await new Promise((resolve) => setImmediate(resolve));
      return database.query(sql, params);
    },
  };
  return hooked.run({ db });
}

/** The calls as they are recorded. */
export async function callsOf(db: Database, { focus }: HookedFocus) {
  return db.query<{ name: string; state: string; output: string; is_error: boolean; details: unknown }>(
    `select name, state, output, is_error, details from animus.tool_calls where focus_id = $1 order by turn, position`,
    [focus.key.focusId],
  );
}

/** Everything that is stored or shown, as one text. */
export async function everything(db: Database, hooked: HookedFocus): Promise<string> {
  const tables = ['tool_calls', 'focus_messages', 'turns', 'hook_runs', 'artifacts'];
  const rows = await Promise.all(
    tables.map((table) =>
      db.query(`select t::text as row from animus.${table} t where t.focus_id = $1`, [hooked.focus.key.focusId]),
    ),
  );
  return JSON.stringify([rows, hooked.focus.events, hooked.log]);
}

/** The script of a hook that answers with this patch. */
export const MODIFY = (patch: object) => `cat >/dev/null; echo '${JSON.stringify({ decision: 'modify', patch })}'`;
