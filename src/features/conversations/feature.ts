/** Conversations and workspaces (docs/conversations.md): everything that others load of them is named here. */
import type { Feature } from '../feature.ts';

export const conversations: Feature = {
  name: 'conversations',
  operations: async () => [],
  commands: { chat: { load: async () => (await import('./commands/commands.ts')).addChatCommands } },
};
