/** Reads what an export wrote: JSON Lines, or the Markdown of the `.chat` file. */
import { AnimusError, messageOf } from '../../core/errors/errors.ts';
import type { ImportedMessage } from './conversations.ts';
import { parseMarkdown } from './parse-markdown.ts';

/** The messages, in order; the first character says in which format. What they contain is checked by the database. Errors: `usage.invalid`. */
export function parseExport(text: string): ImportedMessage[] {
  return /^\s*\{/.test(text) ? parseLines(text) : parseMarkdown(text);
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
        { detail: `line ${index + 1} is no JSON object: ${messageOf(error)}` },
        { cause: error },
      );
    }
  });
}
