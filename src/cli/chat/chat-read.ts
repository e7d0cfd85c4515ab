/** `animus chat list|show`. */
import { messageDocument } from '../../store/conversations/message-document.ts';
import { listConversations, readConversation, readVirtualFile } from '../../store/conversations/read-conversation.ts';
import type { CommonOptions, Invocation } from '../command/command.ts';
import { withDatabase } from '../command/database.ts';
import { styled } from '../view/output.ts';
import { findChat } from './find-chat.ts';

/** Prints a line per conversation. */
export async function listCommand(
  invocation: Invocation,
  options: CommonOptions & { readonly limit: number },
): Promise<number> {
  const { output } = invocation;
  const chats = await withDatabase(invocation, (db) => listConversations(db, options.limit));
  output.document({ chats });
  if (chats.length === 0) output.note('there are no conversations; to begin one: animus chat');
  for (const { id, title, path, faculty, updatedAt } of chats) {
    output.line(
      styled(id.slice(-12), 'bold'),
      `  ${updatedAt.toISOString().slice(0, 16).replace('T', ' ')}  ${faculty}  ${title || path}`,
    );
  }
  return 0;
}

/** Prints the text of the `.chat` file. */
export async function showCommand(invocation: Invocation, _options: CommonOptions, given: string): Promise<number> {
  const { output } = invocation;
  const shown = await withDatabase(invocation, async (db) => {
    const id = await findChat(db, given);
    return { id, ...(await readVirtualFile(db, id)), messages: await readConversation(db, id) };
  });
  output.document({ id: shown.id, etag: shown.etag, messages: shown.messages.map(messageDocument) });
  output.block(shown.content.trimEnd());
  return 0;
}
