/** Reads the Markdown that `animus.render_chat` writes. */
import type { ImportedMessage } from './conversations.ts';

const HEADING =
  /^## \d+ · (user|assistant|system) · (.+) · (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) UTC(?: · (?:told|dead|cancelled))?$/;

/** The messages, in order; text before the first heading is left out. */
export function parseMarkdown(text: string): ImportedMessage[] {
  const messages: { role: ImportedMessage['role']; author: string; created_at: string; lines: string[] }[] = [];
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const [, role, author, at] = HEADING.exec(line) ?? [];
    if (role !== undefined) {
      messages.push({
        role: role as ImportedMessage['role'],
        author: author!,
        created_at: `${at!.replace(' ', 'T')}Z`,
        lines: [],
      });
    } else messages.at(-1)?.lines.push(line.replace(/^\\(\\*## )/, '$1'));
  }
  // An empty line stands after the heading, and one in front of the next.
  return messages.map(({ lines, ...message }, index) => ({
    ...message,
    content: lines.slice(1, index === messages.length - 1 ? undefined : -1).join('\n'),
  }));
}
