/** All tools of the MCP server, in the order of their list. */
import { OPERATIONS } from '../route/features.ts';
import { routeOf } from '../route/operation-route.ts';
import { routeTool } from './route-tool.ts';
import type { McpTool } from './tool.ts';
import { waitTool } from './wait-tool.ts';

export const MCP_TOOLS: readonly McpTool[] = [
  waitTool,
  ...OPERATIONS.flatMap((operation) => (operation.mcp ? [routeTool(routeOf(operation), operation.mcp)] : [])),
];
