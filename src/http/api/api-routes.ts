/** All routes of the API, in the order of the OpenAPI document. */

import { artifactRoutes } from '../artifacts/artifact-routes.ts';
import { conversationRoutes } from '../conversations/conversation-routes.ts';
import { budgetRoutes } from '../operate/budget-routes.ts';
import { modelRoutes } from '../operate/model-routes.ts';
import { operateRoutes } from '../operate/operate-routes.ts';
import { spendRoutes } from '../operate/spend-routes.ts';
import { peopleRoutes } from '../people/people-routes.ts';
import { tokenRoutes } from '../people/token-routes.ts';
import { itemRoutes } from '../record/item-routes.ts';
import { ledgerRoutes } from '../record/ledger-routes.ts';
import { turnRoutes } from '../record/turn-routes.ts';
import { OPERATIONS, READINGS } from '../route/features.ts';
import { routeOf } from '../route/operation-route.ts';
import { routeOfReading } from '../route/reading-route.ts';
import type { Route } from '../route/route.ts';
import { sandboxRoutes } from '../sandbox/sandbox-routes.ts';
import { streamRoutes } from '../streams/stream-routes.ts';
import { bulkRoutes } from '../work/bulk-work.ts';
import { workRoutes } from '../work/work-routes.ts';

export const API_ROUTES: readonly Route[] = [
  ...workRoutes,
  ...bulkRoutes,
  ...sandboxRoutes,
  ...ledgerRoutes,
  ...turnRoutes,
  ...itemRoutes,
  ...artifactRoutes,
  ...operateRoutes,
  ...budgetRoutes,
  ...spendRoutes,
  ...modelRoutes,
  ...peopleRoutes,
  ...tokenRoutes,
  ...conversationRoutes,
  ...OPERATIONS.map(routeOf),
  ...READINGS.map(routeOfReading),
  ...streamRoutes,
];
