/** All tools of the MCP server, in the order of their list. */
import { z } from 'zod';
import { AnimusError } from '../../core/errors/errors.ts';
import { ADDS, DECIDES, type McpOffer, READS, smallPage } from '../../operations/mcp-offer.ts';
import { id } from '../../operations/schemas.ts';
import { approvalRoutes } from '../approvals/approval-routes.ts';
import { artifactRoutes } from '../artifacts/artifact-routes.ts';
import { OPERATIONS } from '../route/features.ts';
import { routeOf } from '../route/operation-route.ts';
import type { JsonRoute } from '../route/route.ts';
import { routeTool } from './route-tool.ts';
import type { McpTool } from './tool.ts';
import { waitTool } from './wait-tool.ts';

const ROUTES = [...artifactRoutes, ...approvalRoutes];

const DECIDE = 'For tokens of operators with the scope decide. Show your user exactly what is decided, and ask first.';

export const MCP_TOOLS: readonly McpTool[] = [
  waitTool,
  tool('readDiff', {
    name: 'read_diff',
    description:
      'What an item has changed in its worktree: branch, commits, and the lines added and removed of each file. Not the text of the changes.',
    hints: READS,
  }),
  tool('listApprovals', {
    name: 'list_approvals',
    description:
      'What waits for a person, oldest first: calls to approve, questions to answer, limits to raise. All work that waits for one limit is one entry, and a decision is about all of it; a denial ends 1,000 work items at most, and the entry stays for what is left.',
    hints: READS,
    instead: smallPage,
  }),
  tool('approve', { name: 'approve', description: `Approve what waits. ${DECIDE}`, hints: DECIDES, instead: bound }),
  tool('deny', {
    name: 'deny',
    description: `Deny what waits; the agent gets the note. ${DECIDE}`,
    hints: DECIDES,
    instead: bound,
  }),
  tool('answer', {
    name: 'answer_question',
    description: `Answer a question of an agent. ${DECIDE}`,
    hints: DECIDES,
  }),
  ...OPERATIONS.flatMap((operation) => (operation.mcp ? [routeTool(routeOf(operation), operation.mcp)] : [])),
];

function tool(id: string, options: McpOffer): McpTool {
  const route = ROUTES.find((each) => each.id === id);
  if (route?.kind !== 'json') throw new AnimusError('internal.bug', { detail: `no JSON route ${id}` });
  return routeTool(route satisfies JsonRoute, options);
}

/** A decision of a model's client must name what it saw. */
function bound(): z.ZodRawShape {
  return {
    ask_id: id(),
    hash: z.string().min(1).describe('of list_approvals: refused if something else waits by now'),
  };
}
