/** MCP servers of faculties (docs/mcp.md): whether their tools are as they were pinned. The tools themselves are the engine's. */
import type { Feature } from '../feature.ts';

export const mcp: Feature = {
  name: 'mcp',
  service: async () => (await import('./service.ts')).createMcpWatch,
};

/** For `animus faculty check`. */
export const loadMcpState = async () => (await import('./server-state.ts')).mcpStateOf;
