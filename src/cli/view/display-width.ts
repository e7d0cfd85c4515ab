/** How text looks on a terminal: how wide it is, cut to a width, and harmless. */
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

/**
 * Text from outside made harmless for a terminal and for readers: control characters, escape sequences' beginnings, and
 * characters that reorder text are shown as escapes. Line ends become spaces; use `harmlessLines` to keep them.
 */
export function harmless(text: string): string {
  return escapeControls(text.replace(/\s*\r?\n\s*|\t/g, ' '));
}

/** The same for text of several lines. */
export function harmlessLines(text: string): string[] {
  return text.split(/\r?\n/).map((line) => escapeControls(line.replaceAll('\t', '  ')));
}

// C0, DEL and C1; line and paragraph separators; bidirectional overrides and isolates.
// oxlint-disable-next-line no-control-regex
const DANGEROUS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;

function escapeControls(text: string): string {
  return text.toWellFormed().replace(DANGEROUS, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** JSON with the same characters escaped in the way of JSON, so that it parses to what it was. */
export function harmlessJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent);
  return text.replace(DANGEROUS, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
