/** Which pinned tools a faculty gets, and which of its tools are not pinned. */
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
