/** Reads `[faculty.hooks]`, and joins it with the hooks that every faculty has. */
import { basename } from 'node:path';
import { showValue } from '../../core/errors/problem.ts';
import { didYouMean } from '../../core/errors/suggest.ts';
import type { HookEvent } from '../../core/work/words.ts';
import type { FacultyDocument } from '../faculty/faculty-schema.ts';
import {
  forEachEvent,
  isForTool,
  type LoopHook,
  type LoopHooks,
  NO_LOOP_HOOKS,
  withUniqueNames,
} from '../faculty/loop-hooks.ts';
import { MCP_PREFIX } from '../faculty/mcp-server.ts';
import { modeOf, writtenMode } from '../faculty/modes.ts';
import { conflict, type FacultyCheck, given } from './faculty-check.ts';
import { hookProblem, programAt } from './faculty-hooks.ts';

/** Every tool of animus, and what kind it is. */
export type ToolKinds = ReadonlyMap<string, 'world' | 'database'>;

type Written = FacultyDocument['faculty']['hooks'];

/**
 * The hooks of a faculty's loop, even if they have problems: its own in the order written, then the shared ones. `toolKinds`: the tools that
 * a hook may name; not checked if undefined. Tools of MCP servers are not known when a file is read.
 */
export function readLoopHooks(check: FacultyCheck, shared: LoopHooks, toolKinds: ToolKinds | undefined): LoopHooks {
  const mode = writtenMode(check.document.written('faculty', 'engage', 'mode'));
  if (modeOf(mode).needs !== 'model') {
    if (given(check, 'hooks') !== undefined)
      conflict(check, ['hooks'], `is only for the built-in loop; remove it with mode = "${mode}"`);
    return NO_LOOP_HOOKS;
  }
  const written = check.document.sound?.faculty.hooks;
  if (written === undefined) return shared;
  const read = (event: HookEvent) => withUniqueNames([...own(check, event, written, toolKinds), ...shared[event]]);
  return forEachEvent(read);
}

function own(check: FacultyCheck, event: HookEvent, written: Written, toolKinds: ToolKinds | undefined): LoopHook[] {
  return written[event].map((hook, index) => {
    const command = programAt(check.directory, hook.command);
    const problem = (detail: string | null) => {
      if (detail !== null) conflict(check, ['hooks', event], `hook ${index + 1}: ${detail}`);
    };
    problem(hookProblem(hook.command, command));
    if (event === 'before_llm_call' && hook.tools) problem('tools is for hooks of tool calls; remove it');
    for (const tool of hook.tools ?? []) problem(toolKinds ? toolProblem(check, event, tool, toolKinds) : null);
    return {
      name: basename(hook.command),
      command,
      args: hook.args,
      timeoutSeconds: hook.timeout_seconds ?? written.timeout_seconds,
      onError: hook.on_error ?? written.on_error,
      tools: hook.tools ?? null,
    };
  });
}

/** A hook for a misspelt tool would never run, and nobody would know. */
function toolProblem(check: FacultyCheck, event: HookEvent, tool: string, toolKinds: ToolKinds): string | null {
  const [head = ''] = tool.split('*', 1);
  if (head.startsWith(MCP_PREFIX)) return serverProblem(check, head, head !== tool);
  const known = [...toolKinds.keys()];
  if (head !== tool) {
    const matches = known.some((name) => isForTool({ tools: [tool] }, name));
    return matches || MCP_PREFIX.startsWith(head) ? null : `no tool matches ${showValue(tool)}`;
  }
  const kind = toolKinds.get(tool);
  if (kind === undefined) return `no tool named ${showValue(tool)}${didYouMean(tool, known)}`;
  if (event !== 'after_tool_call' || kind !== 'database') return null;
  return `the result of ${tool} is recorded together with its effect, so no hook can change it`;
}

/** The server in `mcp_SERVER_TOOL` must be one of the faculty; its tools are not known here. `open`: the name may go on. */
function serverProblem(check: FacultyCheck, head: string, open: boolean): string | null {
  const [server = '', ...rest] = head.slice(MCP_PREFIX.length).split('_');
  if (rest.length === 0 && open) return null;
  const servers = Object.keys((given(check, 'mcp') as object | undefined) ?? {});
  return servers.includes(server) ? null : `no MCP server named ${showValue(server)}${didYouMean(server, servers)}`;
}
