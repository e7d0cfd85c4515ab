import type { ChatMessage } from './read-conversation.ts';

/** A message as programs get it. */
export function messageDocument({ id, createdAt, workItemId, endedAs, replaces, ...message }: ChatMessage) {
  return {
    id: Number(id),
    ...message,
    created_at: createdAt.toISOString(),
    replaces: replaces === null ? null : Number(replaces),
    work_item: workItemId,
    ended_as: endedAs,
  };
}
