/** Conversations and workspaces (docs/conversations.md): everything that others load of them is named here. */
import type { Feature } from '../feature.ts';

export const conversations: Feature = {
  name: 'conversations',
  tags: { workspaces: 'Workspaces and their files.', chats: 'Conversations with a faculty.' },
  operations: async () => [
    ...(await import('./operations/workspaces.ts')).workspaceOperations,
    ...(await import('./operations/conversations.ts')).conversationOperations,
    ...(await import('./operations/messages.ts')).messageOperations,
  ],
  commands: { chat: { load: async () => (await import('./commands/commands.ts')).addChatCommands } },
};
