/** All routes of the API, in the order of the OpenAPI document. */

import { artifactRoutes } from '../artifacts/artifact-routes.ts';
import { conversationRoutes } from '../conversations/conversation-routes.ts';
import { OPERATIONS, READINGS } from '../route/features.ts';
import { routeOf } from '../route/operation-route.ts';
import { routeOfReading } from '../route/reading-route.ts';
import type { Route } from '../route/route.ts';
import { streamRoutes } from '../streams/stream-routes.ts';

export const API_ROUTES: readonly Route[] = [
  ...artifactRoutes,
  ...conversationRoutes,
  ...OPERATIONS.map(routeOf),
  ...READINGS.map(routeOfReading),
  ...streamRoutes,
];
