import type { Route } from '../route/route.ts';
import { chatFileRoutes } from './chat-file-routes.ts';
import { conversationRoutes } from './conversation-routes.ts';
import { messageRoutes } from './message-routes.ts';
import { workspaceRoutes } from './workspace-routes.ts';

/** The routes of workspaces and conversations. */
export const chatRoutes: readonly Route[] = [
  ...workspaceRoutes,
  ...conversationRoutes,
  ...messageRoutes,
  ...chatFileRoutes,
];
