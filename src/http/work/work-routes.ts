/** Work items. */
import type { Route } from '../route/route.ts';
import { listChildren, listWork } from './list-work.ts';
import { showWork } from './show-work.ts';
import { cancelWorkRoute, retryWorkRoute, sayWorkRoute } from './steer-work.ts';
import { submitWorkRoute } from './submit-work.ts';

export const workRoutes: readonly Route[] = [
  submitWorkRoute,
  listWork,
  showWork,
  listChildren,
  cancelWorkRoute,
  retryWorkRoute,
  sayWorkRoute,
];
