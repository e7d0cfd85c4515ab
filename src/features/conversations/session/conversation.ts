/** The conversation of a session: what was said here, and what is shown of it. */
import { usageError } from '../../../core/errors/errors.ts';
import { isTerminal } from '../../../core/work/work.ts';
import type { Operation } from '../../../operations/operation.ts';
import type { Database, Queryable } from '../../../store/sql/database.ts';
import { untilUnlocked } from '../../../store/sql/patient-database.ts';
import type { NewAttachment } from '../../../store/work/submit-work.ts';
import { PATIENCE } from '../../../terminal/command/operation-command.ts';
import { edit, retry } from '../operations/messages.ts';
import { alone } from '../operations/places.ts';
import { startConversation } from '../store/conversations.ts';
import type { ConversationMessage } from '../store/message.ts';
import { type Said, sayWithFiles } from '../store/messages.ts';
import { readConversation } from '../store/read-messages.ts';
import { createWorkspace } from '../store/workspaces.ts';

export interface OpenConversation {
  /** Null before the first message of a new conversation. */
  id: string | null;
  faculty: string;
  readonly workspace: string;
  /** The branch that is shown, as it was read last. */
  messages: readonly ConversationMessage[];
  /** Ids of messages that were printed, or need not be. */
  readonly known: Set<string>;
  /** Items whose answer was followed, or has ended before the session began. */
  readonly followed: Set<string>;
  /** What was said here and is answered after the answer that is being given. */
  queued: readonly { readonly id: string; readonly text: string }[];
  /** Files for the next message. */
  files: readonly NewAttachment[];
  /** The message that the next line replaces. */
  editing: Pick<ConversationMessage, 'id' | 'number'> | null;
}

/** A conversation that is resumed, or (`id` is null) one that its first message begins. */
export function openConversation(faculty: string, workspace: string, id: string | null): OpenConversation {
  return {
    id,
    faculty,
    workspace,
    messages: [],
    known: new Set(),
    followed: new Set(),
    queued: [],
    files: [],
    editing: null,
  };
}

/** Reads what was said before the session began, of a conversation that is resumed. Errors: `work.not_found`, `db.*`. */
export async function readBefore(db: Database, conversation: OpenConversation): Promise<void> {
  conversation.messages = await readConversation(db, conversation.id!);
  for (const { id, work_item_id: workItemId, state } of conversation.messages) {
    conversation.known.add(id);
    if (workItemId !== null && (state === null || isTerminal(state))) conversation.followed.add(workItemId);
  }
}

/** Says the text, with the files that wait for it, in one transaction; the first message begins the conversation. Errors: `work.*`, `db.*`. */
export async function say(
  db: Database,
  conversation: OpenConversation,
  text: string,
): Promise<Said & { readonly number: number }> {
  const { id, ...said } = await untilUnlocked(
    () =>
      db.transaction(async (tx) => {
        const place = conversation.id ?? (await begin(tx, conversation));
        return { id: place, ...(await sayWithFiles(tx, place, text, conversation.files)) };
      }),
    PATIENCE,
  );
  conversation.id = id;
  conversation.known.add(said.messageId);
  // A message that is told into an answer has no files: they come with the next one.
  if (!said.told) conversation.files = [];
  return said;
}

async function begin(tx: Queryable, { faculty, workspace }: OpenConversation): Promise<string> {
  return startConversation(tx, { workspaceId: await createWorkspace(tx, workspace), faculty });
}

/** Does an act as the login of the session. */
export type Act = <Input, Result>(operation: Operation<Input, Result>, input: Input) => Promise<Result>;

/** Replaces the message that is being edited, and returns the number of the new one. */
export async function editMessage(act: Act, conversation: OpenConversation, content: string): Promise<number> {
  const said = await act(edit, { ...alone(conversation.id!), message_id: conversation.editing!.id, content });
  conversation.known.add(said.message_id);
  conversation.editing = null;
  return said.number;
}

/** Asks for another answer to a message, and returns the number of the new one. */
export async function askAgain(act: Act, conversation: OpenConversation, message: string): Promise<number> {
  const said = await act(retry, { ...alone(conversation.id!), message_id: message });
  conversation.known.add(said.message_id);
  return said.number;
}

/** The message that is meant: by its number, or the last one of this actor. Errors: `usage.invalid`. */
export function ownMessage(conversation: OpenConversation, given: string, actor: string): ConversationMessage {
  const own = conversation.messages.filter(({ role, told, author }) => role === 'user' && !told && author === actor);
  const found = given === '' ? own.at(-1) : conversation.messages.find(({ number }) => String(number) === given);
  if (found !== undefined) return found;
  const detail =
    given === '' ? 'you have not said anything yet' : `there is no message ${given} here; /history shows the numbers`;
  throw usageError(detail);
}
