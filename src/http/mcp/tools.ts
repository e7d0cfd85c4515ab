/** All tools of the MCP server, in the order of their list. */
import { AnimusError } from '../../core/errors/errors.ts';
import { ADDS, DECIDES, type McpOffer, READS, smallPage } from '../../operations/mcp-offer.ts';
import { artifactRoutes } from '../artifacts/artifact-routes.ts';
import { operateRoutes } from '../operate/operate-routes.ts';
import { ledgerRoutes } from '../record/ledger-routes.ts';
import { OPERATIONS } from '../route/features.ts';
import { routeOf } from '../route/operation-route.ts';
import type { JsonRoute } from '../route/route.ts';
import { workRoutes } from '../work/work-routes.ts';
import { routeTool } from './route-tool.ts';
import type { McpTool } from './tool.ts';
import { waitTool } from './wait-tool.ts';

const ROUTES = [...workRoutes, ...artifactRoutes, ...ledgerRoutes, ...operateRoutes];

export const MCP_TOOLS: readonly McpTool[] = [
  tool('listFaculties', {
    name: 'list_faculties',
    description:
      'The faculties that running daemons serve: the kinds of agents that work can be submitted to. Each says what it is for, and has the JSON Schemas of its params and its outcome, if it has them.',
    hints: READS,
  }),
  tool('submitWork', {
    name: 'submit_work',
    description:
      'Submit a work item to a faculty: an agent does it in the background. Returns its id; then call wait_for_work. With the same dedup_key, a repetition merges into the active item.',
    hints: ADDS,
    without: ['attachments', 'source', 'trigger_info'],
    defaults: { source: 'mcp' },
  }),
  tool('listWork', { name: 'list_work', description: 'Work items, newest first.', hints: READS, instead: smallPage }),
  tool('showWork', {
    name: 'show_work',
    description: 'One work item: its state, its outcome, what it cost, and, in "waiting", why it does not go on now.',
    hints: READS,
  }),
  tool('listChildren', {
    name: 'list_children',
    description: 'The child work of an item, newest first.',
    hints: READS,
    instead: smallPage,
  }),
  waitTool,
  tool('readLedger', {
    name: 'read_ledger',
    description: 'The ledger of an item, in order: plans, findings, decisions, steps, errors and notes of its agent.',
    hints: READS,
    instead: smallPage,
  }),
  tool('readDiff', {
    name: 'read_diff',
    description:
      'What an item has changed in its worktree: branch, commits, and the lines added and removed of each file. Not the text of the changes.',
    hints: READS,
  }),
  tool('sayWork', {
    name: 'say_to_work',
    description: 'Say something to an item that has not ended; its agent reads it before its next turn.',
    hints: ADDS,
  }),
  tool('cancelWork', { name: 'cancel_work', description: 'Cancel an item and its children.', hints: DECIDES }),
  ...OPERATIONS.flatMap((operation) => (operation.mcp ? [routeTool(routeOf(operation), operation.mcp)] : [])),
];

function tool(id: string, options: McpOffer): McpTool {
  const route = ROUTES.find((each) => each.id === id);
  if (route?.kind !== 'json') throw new AnimusError('internal.bug', { detail: `no JSON route ${id}` });
  return routeTool(route satisfies JsonRoute, options);
}
