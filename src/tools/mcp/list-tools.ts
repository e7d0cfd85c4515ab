/** Reads the list of an MCP server's tools, and compares it with what was pinned. */
import type * as Sdk from '@modelcontextprotocol/client';
import type { McpPin, McpTool } from '../../store/work/mcp-pins.ts';
import { readDefinition, type UnusableTool } from './tool-definition.ts';

/** By their names at the server. */
export type ServerTools = ReadonlyMap<string, McpTool | UnusableTool>;

const MAX_PAGES = 50;
const MAX_TOOLS = 1000;

/** Rejects if the server does not answer, or if its list does not end. If two tools have a name, the first counts. */
export async function listDefinitions(client: Sdk.Client, options: Sdk.RequestOptions): Promise<ServerTools> {
  const tools = new Map<string, McpTool | UnusableTool>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const listed = await client.request({ method: 'tools/list', params }, options);
    for (const given of listed.tools) {
      const read = readDefinition(given);
      if (!tools.has(read.name)) tools.set(read.name, read);
    }
    if (tools.size > MAX_TOOLS) throw new Error(`it lists more than ${MAX_TOOLS} tools`);
    cursor = listed.nextCursor;
    if (cursor === undefined) return tools;
  }
  throw new Error(`its list of tools has more than ${MAX_PAGES} pages`);
}

/** Why a pinned tool may not be called; null if the server describes it as it was pinned. */
export function pinProblem(pin: Pick<McpPin, 'name' | 'definitionHash'>, tools: ServerTools): string | null {
  const live = tools.get(pin.name);
  if (live === undefined) return 'the server no longer has it';
  if ('problem' in live) return `it has changed since it was pinned, and ${live.problem}`;
  return live.definitionHash === pin.definitionHash ? null : 'it has changed since it was pinned';
}
