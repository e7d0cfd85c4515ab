/** The input and the output of a tool call, each short enough for a part of a line. */
import { truncate } from '../../../terminal/view/display-width.ts';
import { counted } from '../../../terminal/view/quantities.ts';

/** The only field of an input if it is a text, such as a command or a path; else all of it as JSON. At most about half of a row. */
export function inputGist(input: object, width: number): string {
  const values: unknown[] = Object.values(input);
  const [only] = values;
  const text =
    values.length === 0 ? '' : values.length === 1 && typeof only === 'string' ? only : JSON.stringify(input);
  // Enough for any row; an input may have a megabyte.
  return truncate(
    text.slice(0, 1000).toWellFormed().replace(/\s+/g, ' ').trim(),
    Math.max(16, Math.floor(width * 0.45)),
  );
}

/** The first line of an output, and how many there are. */
export function outputGist(output: string): string {
  const lines = output.trim().split('\n');
  return lines.length > 1 ? `${lines[0]}  … ${counted(lines.length, 'line')}` : (lines[0] ?? '');
}
