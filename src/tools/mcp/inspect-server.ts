/** Starts an MCP server once, to see its tools. */
import type { McpServer } from '../../catalog/faculty/mcp-server.ts';
import type { McpPin, McpTool } from '../../store/work/mcp-pins.ts';
import { pinProblem, type ServerTools } from './list-tools.ts';
import type { McpSettings } from './mcp-settings.ts';
import type { ServerPlace } from './open-transport.ts';
import { pinsOf } from './selected-pins.ts';
import { openSession } from './session.ts';

/** Its tools, or why it could not be asked. The server has ended when this resolves. */
export async function inspectServer(
  server: McpServer,
  place: ServerPlace,
  settings: Pick<McpSettings, 'version' | 'variable'>,
  signal: AbortSignal,
): Promise<{ readonly tools: ServerTools } | { readonly problem: string }> {
  const opened = await openSession(server, place, settings, server.startTimeoutSeconds * 1000, signal);
  if ('problem' in opened) return { problem: opened.problem };
  try {
    return { tools: await opened.tools(signal) };
  } finally {
    await opened.close();
  }
}

/** A tool that the faculty asks for, or that is pinned: as it was, and as it is. */
export interface ComparedTool {
  readonly name: string;
  readonly state: 'same' | 'new' | 'changed' | 'gone' | 'unusable';
  readonly pin: McpPin | null;
  readonly live: McpTool | null;
  /** Why it cannot be pinned; null if it can. */
  readonly problem: string | null;
}

/** Compares what the faculty asks for with the pins; by name. */
export function compareTools(server: McpServer, tools: ServerTools, pins: readonly McpPin[]): readonly ComparedTool[] {
  const pinned = new Map(pinsOf(server, pins).map((pin) => [pin.name, pin]));
  const wanted = server.tools === '*' ? [...tools.keys()] : server.tools;
  return [...new Set([...wanted, ...pinned.keys()])].toSorted().map((name) => {
    const pin = pinned.get(name) ?? null;
    const found = tools.get(name);
    if (found === undefined)
      return { name, state: 'gone', pin, live: null, problem: 'the server has no tool of this name' };
    if ('problem' in found) return { name, state: 'unusable', pin, live: null, problem: `it ${found.problem}` };
    const state = pin === null ? 'new' : pinProblem(pin, tools) === null ? 'same' : 'changed';
    return { name, state, pin, live: found, problem: null };
  });
}
