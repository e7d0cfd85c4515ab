import type { ConversationMessage } from './message.ts';

/** A message as programs get it. */
export function messageDocument({
  id,
  number,
  replaces_number: _,
  created_at: createdAt,
  work_item_id: workItemId,
  ended_as: endedAs,
  replaces,
  ...message
}: ConversationMessage) {
  return {
    id: Number(id),
    number,
    ...message,
    created_at: createdAt.toISOString(),
    replaces: replaces === null ? null : Number(replaces),
    work_item: workItemId,
    ended_as: endedAs,
  };
}
