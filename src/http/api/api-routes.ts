/** All routes of the API, in the order of the OpenAPI document. */
import { approvalRoutes } from '../approvals/approval-routes.ts';
import { artifactRoutes } from '../artifacts/artifact-routes.ts';
import { chatRoutes } from '../chats/chat-routes.ts';
import { memoryRoutes } from '../memory/memory-routes.ts';
import { operateRoutes } from '../operate/operate-routes.ts';
import { scheduleRoutes } from '../operate/schedule-routes.ts';
import { ledgerRoutes } from '../record/ledger-routes.ts';
import { turnRoutes } from '../record/turn-routes.ts';
import type { Route } from '../route/route.ts';
import { skillRoutes } from '../skills/skill-routes.ts';
import { streamRoutes } from '../streams/stream-routes.ts';
import { workRoutes } from '../work/work-routes.ts';

export const API_ROUTES: readonly Route[] = [
  ...workRoutes,
  ...ledgerRoutes,
  ...turnRoutes,
  ...approvalRoutes,
  ...artifactRoutes,
  ...operateRoutes,
  ...scheduleRoutes,
  ...memoryRoutes,
  ...skillRoutes,
  ...chatRoutes,
  ...streamRoutes,
];
