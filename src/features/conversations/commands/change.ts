/** `animus chat edit|retry|delete|invite`. */
import type { Operation } from '../../../operations/operation.ts';
import type { CommonOptions, Invocation } from '../../../terminal/command/command.ts';
import { withDatabase } from '../../../terminal/command/database.ts';
import { act } from '../../../terminal/command/operation-command.ts';
import { readInput } from '../../../terminal/command/read-input.ts';
import { deleteConversation, invite, removeParticipant } from '../operations/conversations.ts';
import { deleteMessage, edit, retry } from '../operations/messages.ts';
import { alone } from '../operations/places.ts';
import type { ParticipantRole } from '../store/conversations.ts';
import { messageNumbered } from '../store/message-numbers.ts';
import { findConversationNamed } from './find-conversation.ts';
import { answerGoesOn, showAnswer } from './show-answer.ts';

type WaitOptions = CommonOptions & { readonly wait?: boolean };

/** Edits a message. */
export async function editCommand(
  invocation: Invocation,
  options: WaitOptions,
  conversation: string,
  message: string,
  given: string,
): Promise<number> {
  const content = given === '-' ? await readInput(invocation.context.stdin) : given;
  return branchOff(invocation, options, [conversation, message], edit, { content });
}

/** Asks for another answer. */
export async function retryCommand(
  invocation: Invocation,
  options: WaitOptions,
  conversation: string,
  message: string,
): Promise<number> {
  return branchOff(invocation, options, [conversation, message], retry, {});
}

interface NewMessage {
  readonly message_id: string;
  readonly number: number;
  readonly work_item_id: string;
}

async function branchOff<More extends object>(
  invocation: Invocation,
  { wait }: WaitOptions,
  [given, message]: readonly [conversation: string, message: string],
  operation: Operation<ReturnType<typeof alone> & { readonly message_id: string } & More, NewMessage>,
  more: More,
): Promise<number> {
  const { output } = invocation;
  return withDatabase(invocation, async (db, whenStopped) => {
    const id = await findConversationNamed(db, given);
    const input = { ...alone(id), message_id: await messageNumbered(db, id, message), ...more };
    const {
      message_id: messageId,
      number,
      work_item_id: workItemId,
    } = (await act(invocation, db, operation, { input })).result;
    whenStopped(answerGoesOn(invocation, workItemId));
    if (!wait) output.document({ chat: id, message: number, message_id: Number(messageId), work_item: workItemId });
    output.line(`message ${number} replaces message ${message}`);
    return wait ? showAnswer(invocation, db, { conversation: id, messageId, number, workItemId }) : 0;
  });
}

/** Deletes a conversation, or one message. */
export async function deleteCommand(
  invocation: Invocation,
  { message }: CommonOptions & { readonly message?: string },
  given: string,
): Promise<number> {
  const { output } = invocation;
  const id = await withDatabase(invocation, async (db) => {
    const found = await findConversationNamed(db, given);
    if (message === undefined) await act(invocation, db, deleteConversation, { input: alone(found) });
    else {
      const input = { ...alone(found), message_id: await messageNumbered(db, found, message) };
      await act(invocation, db, deleteMessage, { input });
    }
    return found;
  });
  output.document({ chat: id, message: message === undefined ? null : Number(message), deleted: true });
  output.line(message === undefined ? `conversation ${id} is deleted` : `message ${message} is deleted`);
  return 0;
}

/** Adds or removes somebody who takes part, or gives them another role. */
export async function inviteCommand(
  invocation: Invocation,
  { remove = false, role }: CommonOptions & { readonly remove?: boolean; readonly role?: ParticipantRole },
  given: string,
  actor: string,
): Promise<number> {
  const { output } = invocation;
  const { changed, known, warning } = await withDatabase(invocation, async (db) => {
    const one = { ...alone(await findConversationNamed(db, given)), actor };
    if (!remove) return (await act(invocation, db, invite, { input: { ...one, role } })).result;
    const { result } = await act(invocation, db, removeParticipant, { input: one });
    return { ...result, known: true, warning: undefined };
  });
  output.document({ actor, takes_part: !remove, changed, known });
  const takesPart = remove ? 'no longer takes part' : `takes part${role === undefined ? '' : ` as ${role}`}`;
  output.line(`${actor} ${takesPart}${changed ? '' : ' (as before)'}`);
  if (warning !== undefined) output.note(warning);
  return 0;
}
