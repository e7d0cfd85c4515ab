/** `animus chat edit|retry|delete|invite`. */

import type { Database } from '../../../store/sql/database.ts';
import { untilUnlocked } from '../../../store/sql/patient-database.ts';
import type { CommonOptions, Invocation } from '../../../terminal/command/command.ts';
import { withDatabase } from '../../../terminal/command/database.ts';
import { readInput } from '../../../terminal/command/read-input.ts';
import { PATIENCE } from '../session/patience.ts';
import {
  type ChatRole,
  deleteConversation,
  deleteMessage,
  editMessage,
  removeParticipant,
  retryMessage,
  type SaidMessage,
  setParticipant,
  unknownActor,
} from '../store/conversations.ts';
import { messageNumbered, readNumber } from '../store/message-numbers.ts';
import { findChat } from './find-conversation.ts';
import { answerGoesOn, showAnswer } from './show-answer.ts';

type WaitOptions = CommonOptions & { readonly wait?: boolean };

/** Puts other words in the place of a message. */
export async function editCommand(
  invocation: Invocation,
  options: WaitOptions,
  chat: string,
  message: string,
  given: string,
): Promise<number> {
  const text = given === '-' ? await readInput(invocation.context.stdin) : given;
  return branchOff(invocation, options, [chat, message], (db, id) => editMessage(db, id, text));
}

/** Asks for another answer. */
export async function retryCommand(
  invocation: Invocation,
  options: WaitOptions,
  chat: string,
  message: string,
): Promise<number> {
  return branchOff(invocation, options, [chat, message], retryMessage);
}

async function branchOff(
  invocation: Invocation,
  { wait }: WaitOptions,
  [given, message]: readonly [chat: string, message: string],
  change: (db: Database, id: string) => Promise<Omit<SaidMessage, 'told'>>,
): Promise<number> {
  const { output } = invocation;
  return withDatabase(invocation, async (db, whenStopped) => {
    const chat = await findChat(db, given);
    const id = await messageNumbered(db, chat, message);
    const said = await untilUnlocked(() => change(db, id), PATIENCE);
    whenStopped(answerGoesOn(invocation, said.workItemId));
    const number = await readNumber(db, chat, said.messageId);
    if (!wait)
      output.document({ chat, message: number, message_id: Number(said.messageId), work_item: said.workItemId });
    output.line(`message ${number} stands in the place of message ${message}`);
    return wait ? showAnswer(invocation, db, { ...said, chat, number }) : 0;
  });
}

/** Deletes a conversation, or one message. */
export async function deleteCommand(
  invocation: Invocation,
  { message }: CommonOptions & { readonly message?: string },
  given: string,
): Promise<number> {
  const { output } = invocation;
  const chat = await withDatabase(invocation, async (db) => {
    const id = await findChat(db, given);
    await untilUnlocked(async () => {
      if (message === undefined) await deleteConversation(db, id);
      else await deleteMessage(db, await messageNumbered(db, id, message));
    }, PATIENCE);
    return id;
  });
  output.document({ chat, message: message === undefined ? null : Number(message), deleted: true });
  output.line(message === undefined ? `conversation ${chat} is deleted` : `message ${message} is deleted`);
  return 0;
}

/** Adds or removes somebody who takes part, or gives them another role. */
export async function inviteCommand(
  invocation: Invocation,
  { remove = false, role }: CommonOptions & { readonly remove?: boolean; readonly role?: ChatRole },
  given: string,
  actor: string,
): Promise<number> {
  const { output } = invocation;
  const { changed, known } = await withDatabase(invocation, async (db) => {
    const id = await findChat(db, given);
    if (remove) return { changed: await removeParticipant(db, id, actor), known: true };
    return setParticipant(db, id, actor, role ?? null);
  });
  output.document({ actor, takes_part: !remove, changed, known });
  const takesPart = remove ? 'takes part no longer' : `takes part${role === undefined ? '' : ` as ${role}`}`;
  output.line(`${actor} ${takesPart}${changed ? '' : ' (as before)'}`);
  if (!known) output.note(unknownActor(actor));
  return 0;
}
