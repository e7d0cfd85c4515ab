/** A focus whose model makes one call of a tool that runs code; the code is a function of the test. */
import { z } from 'zod';
import type { Database } from '../../../src/store/sql/database.ts';
import { type NestedCalls, type Tool, type ToolContext, type ToolOutput, worldTool } from '../../../src/tools/tool.ts';
import { startTestFocus, type TestFocus } from '../../support/focus.ts';
import { engage, type LoopParts } from '../../support/run-loop.ts';

export type Code = (
  nested: NestedCalls,
  call: (name: string, input?: unknown) => Promise<ToolOutput>,
  context: ToolContext,
) => Promise<string | ToolOutput>;

/** `execute_code` without a container. */
export function codeTool(code: Code): Tool {
  return worldTool({
    name: 'execute_code',
    description: 'runs code',
    risk: 'execute',
    idempotent: false,
    callsTools: true,
    input: z.looseObject({}),
    async run(_input, context) {
      const nested = context.nested!;
      const call = (name: string, input: unknown = {}) => nested.call({ name, input }, context.signal);
      const result = await code(nested, call, context);
      return typeof result === 'string' ? { content: result } : result;
    },
  });
}

const SCRIPT = `
[[answer]]
turn = 1
call = [{ tool = "execute_code", input = { code = "…" } }]
[[answer]]
turn = 2
text = "done"
`;

export async function codeFocus(db: Database, code: Code, tools: readonly Tool[], script = SCRIPT): Promise<TestFocus> {
  return startTestFocus(db, { script, tools: [codeTool(code), ...tools] });
}

export function runFocus(focus: TestFocus, overrides: Partial<LoopParts> = {}) {
  return engage(focus.means(overrides));
}

export interface CallRow {
  readonly call_id: string;
  readonly name: string;
  readonly origin: string;
  readonly parent_call_id: string | null;
  readonly state: string;
  readonly input: unknown;
  readonly final_input: unknown;
  readonly output: string | null;
  readonly output_bytes: number | null;
  readonly is_error: boolean | null;
}

/** All calls of the focus; those of code in the order in which they were made. */
export function rowsOf(db: Database, focus: TestFocus): Promise<CallRow[]> {
  return db.query<CallRow>(
    `select call_id, name, origin, parent_call_id, state, input, final_input, output, output_bytes, is_error
       from animus.tool_calls where focus_id = $1 order by turn, parent_call_id nulls first, position`,
    [focus.key.focusId],
  );
}

/** `n name state` of the calls that code made. */
export async function madeCalls(db: Database, focus: TestFocus): Promise<string[]> {
  const rows = await rowsOf(db, focus);
  return rows
    .filter(({ origin }) => origin === 'sandbox')
    .map(({ call_id, name, state }) => `${call_id.split('/').at(-1)} ${name} ${state}`);
}

/** The result of the first call of the model. */
export async function resultOf(db: Database, focus: TestFocus): Promise<CallRow> {
  const rows = await rowsOf(db, focus);
  return rows.find(({ origin }) => origin === 'model')!;
}
