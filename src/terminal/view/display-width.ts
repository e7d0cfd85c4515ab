/** How text looks on a terminal: how wide it is, and cut to a width. */
import { createRequire } from 'node:module';

/** Printable ASCII, letters of Latin alphabets, and what animus itself prints: each takes one column. */
const ONE_COLUMN_EACH = /^[\x20-\x7e\u00c0-\u024f–…→]*$/;

/** The number of columns that a text takes on a terminal. */
export function displayWidth(text: string): number {
  if (ONE_COLUMN_EACH.test(text)) return text.length;
  // Escape sequences are made visible before they are printed, so they take columns.
  return stringWidth()(text, { countAnsiEscapeCodes: true });
}

let loaded: typeof import('string-width') | undefined;

/** Loaded for the first text that needs it: its expression for emoji takes 20 ms to compile, which is more than the query of a command takes. */
function stringWidth(): typeof import('string-width').default {
  loaded ??= createRequire(import.meta.url)('string-width') as typeof import('string-width');
  return loaded.default;
}

/** Created on the first use, like the above: it takes 10 ms. */
let segmenter: Intl.Segmenter | undefined;

/** What people take for characters, such as an emoji of several code points. */
export function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** Cuts the text to at most `width` columns, with `…` at the end. Never cuts within a character. */
export function truncate(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes(text)) {
    const next = used + displayWidth(segment);
    if (next > width - 1) break;
    kept += segment;
    used = next;
  }
  return width > 0 ? `${kept}…` : '';
}

/** Wraps a line to `width` columns, between words where possible. Each new line keeps the indentation. */
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
    for (const { segment } of displayWidth(word) > room ? graphemes(word) : [{ segment: word }]) {
      if (displayWidth(current + segment.trimEnd()) > room) end();
      current += segment;
    }
  }
  end();
  return lines;
}

/** Pads the text with spaces to `width` columns; `align` is the side of the text. */
export function pad(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'left' ? text + space : space + text;
}
