/** The names under which a model calls the tools of MCP servers. */
import { createHash } from 'node:crypto';
import { MCP_PREFIX } from '../../catalog/faculty/mcp-server.ts';

/** All providers accept 64 characters of A-Z, a-z, 0-9, _ and -. */
const MAX_CHARS = 64;

/**
 * `mcp_SERVER_TOOL`. A name that a provider would refuse is changed, and then ends with a hash of the original one, so that two
 * tools never share a name. Names of servers have no underscore.
 */
export function mcpToolName(server: string, tool: string): string {
  const plain = `${MCP_PREFIX}${server}_${tool}`;
  const allowed = plain.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  if (allowed === plain && plain.length <= MAX_CHARS) return plain;
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, 10);
  return `${allowed.slice(0, MAX_CHARS - hash.length - 1)}_${hash}`;
}
