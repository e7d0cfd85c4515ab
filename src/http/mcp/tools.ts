/** All tools of the MCP server, in the order of their list. */
import { AnimusError } from '../../core/errors/errors.ts';
import { type McpOffer, READS } from '../../operations/mcp-offer.ts';
import { artifactRoutes } from '../artifacts/artifact-routes.ts';
import { OPERATIONS } from '../route/features.ts';
import { routeOf } from '../route/operation-route.ts';
import type { JsonRoute } from '../route/route.ts';
import { routeTool } from './route-tool.ts';
import type { McpTool } from './tool.ts';
import { waitTool } from './wait-tool.ts';

const ROUTES = [...artifactRoutes];

export const MCP_TOOLS: readonly McpTool[] = [
  waitTool,
  tool('readDiff', {
    name: 'read_diff',
    description:
      'What an item has changed in its worktree: branch, commits, and the lines added and removed of each file. Not the text of the changes.',
    hints: READS,
  }),
  ...OPERATIONS.flatMap((operation) => (operation.mcp ? [routeTool(routeOf(operation), operation.mcp)] : [])),
];

function tool(id: string, options: McpOffer): McpTool {
  const route = ROUTES.find((each) => each.id === id);
  if (route?.kind !== 'json') throw new AnimusError('internal.bug', { detail: `no JSON route ${id}` });
  return routeTool(route satisfies JsonRoute, options);
}
