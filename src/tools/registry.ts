/** Which tools there are, and which a faculty gets. */
import { z } from 'zod';
import type { ToolSpec } from '../llm/client.ts';
import { FILE_TOOLS } from './files.ts';
import { LEDGER_TOOLS } from './ledger.ts';
import { readOutput } from './read-output.ts';
import { SHELL_TOOLS } from './shell.ts';
import type { Tool } from './tool.ts';
import { WAIT_TOOLS } from './wait.ts';

/** Always there, whatever the faculty names. */
const ENGINE_TOOLS: readonly Tool[] = [...LEDGER_TOOLS, readOutput, ...WAIT_TOOLS];

/** Those a faculty may name in `tools`. */
const FACULTY_TOOLS: readonly Tool[] = [...FILE_TOOLS, ...SHELL_TOOLS];

/** Names that a faculty's `tools` may hold. */
export const FACULTY_TOOL_NAMES: readonly string[] = FACULTY_TOOLS.map((tool) => tool.name);

/** The tools of a faculty by name: the engine's, then its own in the order it names them. Unknown names were refused at load. */
export function toolset(names: readonly string[]): ReadonlyMap<string, Tool> {
  const own = names.flatMap((name) => FACULTY_TOOLS.filter((tool) => tool.name === name));
  return new Map([...ENGINE_TOOLS, ...own].map((tool) => [tool.name, tool]));
}

/** The tools as the model is told of them, in order; fixed for a focus. */
export function toolSpecs(tools: ReadonlyMap<string, Tool>): ToolSpec[] {
  return [...tools.values()].map((tool) => ({
    name: tool.name,
    description: tool.description,
    inputSchema: z.toJSONSchema(tool.input, { io: 'input' }),
  }));
}
