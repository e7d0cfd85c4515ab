/** What a session says when the person leaves. */
import { isTerminal } from '../../../core/work/work.ts';
import { shortId } from '../../../terminal/view/quantities.ts';
import { findConversation } from '../store/read-conversations.ts';
import { readConversation } from '../store/read-messages.ts';
import type { OpenConversation } from './conversation.ts';
import type { Place } from './place.ts';

/** How the conversation is resumed, and what becomes of an answer that is not given yet. Null: there is no conversation. Errors: `db.*`. */
export async function farewellOf({ db, own }: Place, { id, followed }: OpenConversation): Promise<string[] | null> {
  if (id === null || (await findConversation(db, id)) === null) return null;
  const messages = await readConversation(db, id);
  const open = messages.some(
    ({ role, told, work_item_id: workItemId, state }) =>
      role === 'user' && !told && workItemId !== null && !followed.has(workItemId) && !isTerminal(state!),
  );
  const becomes = own
    ? 'The answer that was being given continues when a daemon runs again: start animus serve, or resume the conversation.'
    : 'The running answer goes on.';
  return [...(open ? [becomes] : []), `To go on with the conversation: animus chat --resume ${shortId(id)}`];
}

/** What it says where the database cannot be reached any more, or a file keeps the session from running the daemon that is gone. */
export function farewellWithoutDatabase({ id }: Pick<OpenConversation, 'id'>): string[] | null {
  if (id === null) return null;
  return [
    'What was said is recorded, and an answer that was being given continues when a daemon runs again.',
    `Once the problem is solved (animus doctor), go on with the conversation: animus chat --resume ${shortId(id)}`,
  ];
}
