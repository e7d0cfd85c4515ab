/** Reads what an export wrote: JSON Lines, or the Markdown of the `.chat` file. */
import { AnimusError, messageOf, usageError } from '../../../core/errors/errors.ts';
import type { ImportedMessage } from './messages.ts';
import { parseMarkdown } from './parse-markdown.ts';

/**
 * The messages, in order; the first character says in which format. What they contain is checked by the database. Errors: `usage.invalid`, also for a
 * text without any message.
 */
export function parseExport(text: string): ImportedMessage[] {
  const plain = text.replace(/^\ufeff/, '');
  const messages = /^\s*\{/.test(plain) ? parseLines(plain) : parseMarkdown(plain);
  if (messages.length > 0) return messages;
  throw usageError('it contains no messages; expected JSON Lines, or Markdown with a heading for each message');
}

function parseLines(text: string): ImportedMessage[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      const { role, content, author, created_at } = JSON.parse(line) as ImportedMessage;
      return [{ role, content, author, created_at }];
    } catch (error) {
      throw new AnimusError(
        'usage.invalid',
        { detail: `line ${index + 1} is not a JSON object: ${messageOf(error)}` },
        { cause: error },
      );
    }
  });
}
