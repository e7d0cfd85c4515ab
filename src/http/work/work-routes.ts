/** Work items. */
import type { Route } from '../route/route.ts';
import { listWorkRoute } from './list-work.ts';
import { showWork } from './show-work.ts';
import { submitWorkRoute } from './submit-work.ts';

export const workRoutes: readonly Route[] = [submitWorkRoute, listWorkRoute, showWork];
