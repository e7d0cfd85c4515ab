/** All routes of the API, in the order of the OpenAPI document. */
import type { Route } from '../route/route.ts';
import { streamRoutes } from '../streams/stream-routes.ts';
import { workRoutes } from '../work/work-routes.ts';

export const API_ROUTES: readonly Route[] = [...workRoutes, ...streamRoutes];
