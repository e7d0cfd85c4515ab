import type { Operation } from '../../../operations/operation.ts';
import { conversationOperations } from './conversations.ts';
import { messageOperations } from './messages.ts';
import { workspaceOperations } from './workspaces.ts';

/** In the order of the OpenAPI document. */
export const operations: readonly Operation[] = [
  ...workspaceOperations,
  ...conversationOperations,
  ...messageOperations,
];
