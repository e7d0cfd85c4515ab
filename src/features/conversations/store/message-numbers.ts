/** The numbers by which people name messages: 1, 2, … in each conversation. Programs name them by their ids. */
import { AnimusError, usageError } from '../../../core/errors/errors.ts';
import type { Queryable } from '../../../store/sql/database.ts';
import type { ConversationMessage } from './message.ts';

/** The numbers of messages, by their ids. Errors: `work.not_found`. */
export async function readNumbers(
  db: Queryable,
  conversationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<{ id: string; number: number }>(
    'select id::text, number from animus.message_numbers($1, $2::bigint[])',
    [conversationId, ids],
  );
  return new Map(rows.map(({ id, number }) => [id, number]));
}

/** The number of a message that is there. Errors: `work.not_found`. */
export async function readNumber(db: Queryable, conversationId: string, id: string): Promise<number> {
  return (await readNumbers(db, conversationId, [id])).get(id)!;
}

/** The messages with their numbers. */
export async function withNumbers<Message extends Omit<ConversationMessage, 'number' | 'replaces_number'>>(
  db: Queryable,
  conversationId: string,
  messages: readonly Message[],
): Promise<(Message & Pick<ConversationMessage, 'number' | 'replaces_number'>)[]> {
  const ids = messages.flatMap(({ id, replaces }) => (replaces === null ? [id] : [id, replaces]));
  const numbers = await readNumbers(db, conversationId, ids);
  return messages.map((message) => ({
    ...message,
    number: numbers.get(message.id)!,
    replaces_number: message.replaces === null ? null : (numbers.get(message.replaces) ?? null),
  }));
}

/** The id of the message that a person names by its number. Errors: `usage.invalid`, `work.not_found`. */
export async function messageNumbered(db: Queryable, conversationId: string, given: string): Promise<string> {
  const number = /^\d{1,9}$/.test(given) ? Number(given) : null;
  if (number === null) {
    const detail = `${JSON.stringify(given)} is not the number of a message; animus chat show prints them`;
    throw usageError(detail);
  }
  const [row] = await db.query<{ id: string }>(
    'select id::text from animus.message_numbers($1, null, array[$2::int])',
    [conversationId, number],
  );
  if (row !== undefined) return row.id;
  const detail = `the conversation has no message ${number}`;
  throw new AnimusError('work.not_found', { detail, hint: '; animus chat show prints the numbers' });
}
