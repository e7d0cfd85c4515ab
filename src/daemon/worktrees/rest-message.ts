/** The message of the commit with what an agent left uncommitted. */

/** Of a title, as git shows it in a line. */
const TITLE_CHARS = 72;

/** `summary`: of the outcome; null: the work goes on or failed. The title is its first line or sentence, and the rest follows when it is longer. */
export function restMessage(summary: string | null, trailers: readonly string[]): string {
  const text = (summary ?? '').replaceAll(/[^\S\n]+/g, ' ').trim();
  const first = text.split('\n', 1)[0]!.trim();
  const title = first === '' ? 'Keep files that were left uncommitted' : cut(first);
  const body = text === '' || text === title ? [] : [text];
  return `${[title, ...body, trailers.join('\n')].join('\n\n')}\n`;
}

function cut(line: string): string {
  if (line.length <= TITLE_CHARS) return line;
  const words = line.slice(0, TITLE_CHARS - 1);
  const end = words.lastIndexOf(' ');
  return `${(end > TITLE_CHARS / 2 ? words.slice(0, end) : words).trimEnd()}…`;
}
