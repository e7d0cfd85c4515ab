/** What people have to know about the pins of a faculty. */
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { McpPin } from '../../store/work/mcp-pins.ts';
import { pinsOf, unpinned } from './selected-pins.ts';

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
