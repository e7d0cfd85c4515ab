import { abortable } from '../../core/lifecycle/abortable.ts';
import type { DatabaseTool, ToolContext } from '../../tools/tool.ts';

/** The context of a call of a database tool, with what it has prepared. No transaction is open meanwhile. */
export async function prepared<Input>(
  tool: DatabaseTool<Input>,
  input: Input,
  context: ToolContext,
): Promise<ToolContext> {
  if (!tool.prepare) return context;
  return { ...context, prepared: await abortable(tool.prepare(input, context), context.signal) };
}
