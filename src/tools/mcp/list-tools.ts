/** Reads the list of an MCP server's tools, and compares it with what was pinned. */
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import type * as Sdk from '@modelcontextprotocol/client';
import { isObject } from '../../core/text/json-values.ts';
import type { McpPin, McpTool } from '../../store/work/mcp-pins.ts';
import { type JsonObject, readDefinition, type UnusableTool } from './tool-definition.ts';

/** In place of the SDK's schema of a result, which takes a minute for some hundred thousand parts. Its reader takes nothing for granted. */
export const ANY_RESULT: Sdk.StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'animus',
    validate: (value) => ({ value: isObject(value) ? value : {} }),
  },
};

/** By their names at the server. */
export type ServerTools = ReadonlyMap<string, McpTool | UnusableTool>;

const MAX_PAGES = 50;
const MAX_TOOLS = 1000;
const MAX_CURSOR_CHARS = 4096;
/** Then others have their turn: a tool takes a tenth of a millisecond, a large one some twenty. */
const SLICE_MS = 10;

/** Rejects if the server does not answer, or if its list does not end. If two tools have a name, the first counts. */
export async function listDefinitions(client: Sdk.Client, options: Sdk.RequestOptions): Promise<ServerTools> {
  const tools = new Map<string, McpTool | UnusableTool>();
  let [cursor, listedTools, begun]: [unknown, number, number] = [undefined, 0, performance.now()];
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const listed = await client.request({ method: 'tools/list', params }, ANY_RESULT, options);
    const given = Array.isArray(listed['tools']) ? (listed['tools'] as unknown[]) : [];
    listedTools += given.length;
    if (listedTools > MAX_TOOLS) throw new Error(`it lists more than ${MAX_TOOLS} tools`);
    for (const each of given) {
      const read = readDefinition(each);
      if (!tools.has(read.name)) tools.set(read.name, read);
      if (performance.now() - begun < SLICE_MS) continue;
      await turnOfEventLoop();
      options.signal?.throwIfAborted();
      begun = performance.now();
    }
    cursor = listed['nextCursor'];
    if (cursor === undefined || cursor === null) return tools;
    if (typeof cursor !== 'string' || cursor.length > MAX_CURSOR_CHARS)
      throw new Error(
        `its list of tools goes on at something that is not a text of at most ${MAX_CURSOR_CHARS} characters`,
      );
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
