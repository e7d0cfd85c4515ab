/** The conversation of a session: what was said here, and what is shown of it. */
import { AnimusError } from '../../../core/errors/errors.ts';
import type { Database } from '../../../store/sql/database.ts';
import { untilUnlocked } from '../../../store/sql/patient-database.ts';
import type { NewAttachment } from '../../../store/work/submit-work.ts';
import {
  attachToMessage,
  createWorkspace,
  editMessage,
  retryMessage,
  type SaidMessage,
  sayInConversation,
  startConversation,
} from '../store/conversations.ts';
import type { ChatMessage } from '../store/message.ts';
import { readNumber } from '../store/message-numbers.ts';
import { PATIENCE } from './patience.ts';

export interface Talk {
  /** Null before the first message of a new conversation. */
  id: string | null;
  faculty: string;
  readonly workspace: string;
  /** The branch that is shown, as it was read last. */
  messages: readonly ChatMessage[];
  /** Ids of messages that were printed, or need not be. */
  readonly known: Set<string>;
  /** Items whose answer was followed, or has ended before the session began. */
  readonly followed: Set<string>;
  /** What was said here and is answered after the answer that is being given. */
  queued: readonly { readonly id: string; readonly text: string }[];
  /** Files for the next message. */
  files: readonly NewAttachment[];
  /** The message that the next line replaces. */
  editing: Pick<ChatMessage, 'id' | 'number'> | null;
}

/** A conversation that is resumed, or (`id` is null) one that its first message begins. */
export function newTalk(faculty: string, workspace: string, id: string | null): Talk {
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

/** Says the text, with the files that wait for it, in one transaction; the first message begins the conversation. Errors: `work.*`, `db.*`. */
export async function say(db: Database, talk: Talk, text: string): Promise<SaidMessage & { readonly number: number }> {
  const said = await untilUnlocked(
    () =>
      db.transaction(async (tx) => {
        const id = talk.id ?? (await begin(tx, talk));
        const message = await sayInConversation(tx, id, text);
        if (!message.told) for (const file of talk.files) await attachToMessage(tx, message.workItemId, file);
        return { id, message: { ...message, number: await readNumber(tx, id, message.messageId) } };
      }),
    PATIENCE,
  );
  talk.id = said.id;
  talk.known.add(said.message.messageId);
  // A message that is told into an answer has no files: they come with the next one.
  if (!said.message.told) talk.files = [];
  return said.message;
}

async function begin(db: Parameters<typeof startConversation>[0], { faculty, workspace }: Talk): Promise<string> {
  return startConversation(db, { workspaceId: await createWorkspace(db, workspace), faculty });
}

/** Puts the text in the place of the message that is edited, and returns the number of the new message. */
export async function edit(db: Database, talk: Talk, text: string): Promise<number> {
  const message = talk.editing!;
  const said = await untilUnlocked(() => editMessage(db, message.id, text), PATIENCE);
  talk.known.add(said.messageId);
  talk.editing = null;
  return readNumber(db, talk.id!, said.messageId);
}

/** Asks for another answer to a message, and returns the number of the new one. */
export async function retry(db: Database, talk: Talk, message: string): Promise<number> {
  const said = await untilUnlocked(() => retryMessage(db, message), PATIENCE);
  talk.known.add(said.messageId);
  return readNumber(db, talk.id!, said.messageId);
}

/** The message that is meant: by its number, or the last one of this actor. Errors: `usage.invalid`. */
export function ownMessage(talk: Talk, given: string, actor: string): ChatMessage {
  const own = talk.messages.filter(({ role, told, author }) => role === 'user' && !told && author === actor);
  const found = given === '' ? own.at(-1) : talk.messages.find(({ number }) => String(number) === given);
  if (found !== undefined) return found;
  const detail =
    given === '' ? 'you have not said anything yet' : `there is no message ${given} here; /history shows the numbers`;
  throw new AnimusError('usage.invalid', { detail });
}
