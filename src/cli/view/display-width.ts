/** How text looks on a terminal: how wide it is, and cut to a width. */
import stringWidth from 'string-width';

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Columns a text takes on a terminal. */
export function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  // What would be an escape sequence is made harmless before it is printed, and then takes columns.
  return stringWidth(text, { countAnsiEscapeCodes: true });
}

/** The text in at most `width` columns, `…` at the end where it was cut; never half of a character. */
export function truncate(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of GRAPHEMES.segment(text)) {
    const next = used + displayWidth(segment);
    if (next > width - 1) break;
    kept += segment;
    used = next;
  }
  return width > 0 ? `${kept}…` : '';
}

/** A line in as many lines as it needs to fit `width` columns: broken between words, else within one; each begins where it did. */
export function wrap(line: string, width: number): string[] {
  if (displayWidth(line) <= width) return [line];
  const indent = (/^ */.exec(line)?.[0] ?? '').slice(0, Math.max(0, width - 10));
  const lines: string[] = [];
  let current = '';
  const end = () => {
    if (current.trim() !== '') lines.push(indent + current.trimEnd());
    current = '';
  };
  for (const [word] of line.slice(indent.length).matchAll(/\s+|\S+/g)) {
    const room = width - displayWidth(indent);
    if (displayWidth(current + word.trimEnd()) > room) end();
    if (current === '' && word.trim() === '') continue;
    for (const { segment } of displayWidth(word) > room ? GRAPHEMES.segment(word) : [{ segment: word }]) {
      if (displayWidth(current + segment.trimEnd()) > room) end();
      current += segment;
    }
  }
  end();
  return lines;
}

/** Filled with spaces to `width` columns, on the right unless `align` says otherwise. */
export function pad(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'left' ? text + space : space + text;
}
