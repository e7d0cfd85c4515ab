/** `animus chat list|show`. */

import type { CommonOptions, Invocation } from '../../../terminal/command/command.ts';
import { withDatabase } from '../../../terminal/command/database.ts';
import { styled } from '../../../terminal/view/output.ts';
import { showMessage } from '../session/message-view.ts';
import { messageDocument } from '../store/message-document.ts';
import { listConversations } from '../store/read-conversations.ts';
import { readConversation, readMessagesBefore } from '../store/read-messages.ts';
import { readVirtualFile } from '../store/workspaces.ts';
import { findConversationNamed } from './find-conversation.ts';

/** Prints a line per conversation. */
export async function listCommand(
  invocation: Invocation,
  options: CommonOptions & { readonly limit: number },
): Promise<number> {
  const { output } = invocation;
  const conversations = await withDatabase(invocation, (db) => listConversations(db, options.limit));
  output.document({ chats: conversations });
  if (conversations.length === 0) output.note('there are no conversations; to begin one: animus chat');
  for (const { id, title, path, faculty, updated_at: updatedAt } of conversations) {
    output.line(
      styled(id.slice(-12), 'bold'),
      `  ${updatedAt.toISOString().slice(0, 16).replace('T', ' ')}  ${faculty}  ${title || path}`,
    );
  }
  return 0;
}

/** Prints the text of the `.chat` file, or the last messages. */
export async function showCommand(
  invocation: Invocation,
  { last }: CommonOptions & { readonly last?: number },
  given: string,
): Promise<number> {
  const { output } = invocation;
  if (last !== undefined) return showLast(invocation, given, last);
  const shown = await withDatabase(invocation, async (db) => {
    const id = await findConversationNamed(db, given);
    return { id, ...(await readVirtualFile(db, id)), messages: await readConversation(db, id) };
  });
  output.document({ id: shown.id, etag: shown.etag, messages: shown.messages.map(messageDocument) });
  output.block(shown.content.trimEnd());
  return 0;
}

/** What it reads does not grow with the conversation. */
async function showLast(invocation: Invocation, given: string, count: number): Promise<number> {
  const { output } = invocation;
  const { id, newest } = await withDatabase(invocation, async (db) => {
    const named = await findConversationNamed(db, given);
    return { id: named, newest: await readMessagesBefore(db, named, null, count) };
  });
  const messages = newest.toReversed().map(({ at: _, ...message }) => message);
  output.document({ id, messages: messages.map(messageDocument) });
  for (const message of messages) showMessage(output, message, { whole: true });
  return 0;
}
