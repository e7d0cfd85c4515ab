/** Reads the Markdown that `animus.render_chat` writes. */
import type { ImportedMessage } from './messages.ts';

const HEADING =
  /^## \d+ · (user|assistant|system) · (.+) · (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) UTC(?: · (?:told|dead|cancelled|with .+))?$/;

/** The messages, in order; text before the first heading is left out. */
export function parseMarkdown(text: string): ImportedMessage[] {
  const messages: { role: ImportedMessage['role']; author: string; created_at: string; lines: string[] }[] = [];
  for (const line of linesOf(text)) {
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
  return messages.map(({ lines, ...message }, index) => ({
    ...message,
    content: contentOf(lines, index === messages.length - 1),
  }));
}

/** Without the last line end. If all line ends are CR LF, an editor or a mail program has changed them, and the CR is not part of what was said. */
function linesOf(text: string): string[] {
  const isOfWindows = /^[^\n]*\r\n/.test(text) && !/(?<!\r)\n/.test(text);
  return (isOfWindows ? text.replaceAll('\r\n', '\n') : text).replace(/\n$/, '').split('\n');
}

/** An empty line stands after the heading, and one in front of the next. If they were removed by hand, nothing is cut off. */
function contentOf(lines: readonly string[], isLast: boolean): string {
  const from = lines[0] === '' ? 1 : 0;
  const to = !isLast && lines.length > from && lines.at(-1) === '' ? -1 : undefined;
  return lines.slice(from, to).join('\n');
}
