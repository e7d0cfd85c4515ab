/** What the acts on conversations have in common: by which ids they name a row, and whether it is there. */
import { apiOnly, id, text } from '../../../operations/fields.ts';
import type { Queryable } from '../../../store/sql/database.ts';
import { MESSAGE_ID } from '../store/message.ts';
import { requireVisibleConversation } from '../store/read-conversations.ts';
import { readVisibleMessage } from '../store/read-messages.ts';

/** The path of a conversation. A terminal names it by its own id; the functions of the database decide alone who may do what. */
export const ofConversation = { id: apiOnly(id()), chat_id: id() };
export const ofMessage = { ...ofConversation, message_id: text({ pattern: MESSAGE_ID }) };
export const title = text({ max: 200 });

/** A conversation as a terminal names it. */
export function alone(conversation: string): { readonly id: undefined; readonly chat_id: string } {
  return { id: undefined, chat_id: conversation };
}

interface ConversationPath {
  /** Of the workspace. */
  readonly id: string | undefined;
  readonly chat_id: string;
}

/** Errors: `work.not_found`. */
export async function requireConversation(
  tx: Queryable,
  { id: workspace, chat_id: chat }: ConversationPath,
): Promise<void> {
  if (workspace !== undefined) await requireVisibleConversation(tx, workspace, chat);
}

/** Errors: `work.not_found`. */
export async function requireMessage(
  tx: Queryable,
  path: ConversationPath & { readonly message_id: string },
): Promise<void> {
  if (path.id === undefined) return;
  await requireConversation(tx, path);
  await readVisibleMessage(tx, path.chat_id, path.message_id);
}
