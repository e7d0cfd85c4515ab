/** Which pinned tools a faculty gets, which of its tools are not pinned, and what people have to know about that. */
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { McpServer } from '../../catalog/faculty/mcp-server.ts';
import type { McpPin } from '../../store/work/mcp-pins.ts';

/** The pinned tools that a faculty gets from a server. */
export function pinsOf({ name, tools }: McpServer, pins: readonly McpPin[]): readonly McpPin[] {
  const own = pins.filter(({ server }) => server === name);
  return tools === '*' ? own : tools.flatMap((tool) => own.filter((pin) => pin.name === tool));
}

/** The tools that a faculty names and that are not pinned; `*` if it wants all of a server without pins. */
export function unpinned({ name, tools }: McpServer, pins: readonly McpPin[]): readonly string[] {
  const known = new Set(pins.filter(({ server }) => server === name).map((pin) => pin.name));
  if (tools === '*') return known.size === 0 ? ['*'] : [];
  return tools.filter((tool) => !known.has(tool));
}

/** One sentence per server with tools that are not pinned, and per tool whose calls are refused. */
export function pinRemarks({ name, mcp = [] }: Faculty, pins: readonly McpPin[]): readonly string[] {
  const run = `run: animus faculty check --pin ${name}`;
  return mcp.flatMap((server) => {
    const missing = unpinned(server, pins);
    const which = missing.includes('*') ? 'its tools' : missing.join(', ');
    const of = `faculty ${name}: MCP server ${server.name}`;
    const changed = pinsOf(server, pins).filter(({ problem }) => problem !== null);
    return [
      ...(missing.length > 0 ? [`${of}: not pinned and not offered to the model: ${which}; ${run}`] : []),
      ...changed.map((pin) => `${of}: calls of ${pin.name} are refused: ${pin.problem}; ${run}`),
    ];
  });
}
