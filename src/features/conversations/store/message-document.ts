import type { ChatMessage } from './message.ts';

/** A message as programs get it. */
export function messageDocument({
  id,
  number,
  replacesNumber: _,
  createdAt,
  workItemId,
  endedAs,
  replaces,
  ...message
}: ChatMessage) {
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
