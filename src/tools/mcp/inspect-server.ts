/** Starts an MCP server once, to see its tools. */
import type { McpServer } from '../../catalog/faculty/mcp-server.ts';
import type { McpPin, McpTool } from '../../store/work/mcp-pins.ts';
import { schemaProblem } from './input-check.ts';
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

/** Compares what the faculty asks for with the pins; by name. A schema that cannot be applied is a problem, unless it is pinned as it is. */
export async function compareTools(
  server: McpServer,
  tools: ServerTools,
  pins: readonly McpPin[],
): Promise<readonly ComparedTool[]> {
  const pinned = new Map(pinsOf(server, pins).map((pin) => [pin.name, pin]));
  const wanted = server.tools === '*' ? [...tools.keys()] : server.tools;
  const compared: ComparedTool[] = [];
  for (const name of [...new Set([...wanted, ...pinned.keys()])].toSorted()) {
    compared.push(await compare(name, pinned.get(name) ?? null, tools));
  }
  return compared;
}

async function compare(name: string, pin: McpPin | null, tools: ServerTools): Promise<ComparedTool> {
  const found = tools.get(name);
  if (found === undefined)
    return { name, state: 'gone', pin, live: null, problem: 'the server has no tool of this name' };
  const unusable = (problem: string) =>
    ({ name, state: 'unusable', pin, live: null, problem: `it ${problem}` }) as const;
  if ('problem' in found) return unusable(found.problem);
  if (pin !== null && pinProblem(pin, tools) === null) return { name, state: 'same', pin, live: found, problem: null };
  const problem = await schemaProblem(found.inputSchema);
  if (problem !== null) return unusable(`has an input schema that ${problem}`);
  return { name, state: pin === null ? 'new' : 'changed', pin, live: found, problem: null };
}
