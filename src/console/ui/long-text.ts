/** Texts of megabytes, cut into parts that a browser lays out one by one. */

/** The text in parts of about `size` characters: at ends of lines where there are some, and never within a character. */
export function partsOf(text: string, size: number): readonly string[] {
  const parts: string[] = [];
  for (let from = 0; from < text.length; ) {
    const { end, next } = endOfPart(text, from, size);
    parts.push(text.slice(from, end));
    from = next;
  }
  return parts;
}

/** The parts are shown as blocks, so the end of line between two of them is left out. */
function endOfPart(text: string, from: number, size: number): { readonly end: number; readonly next: number } {
  const end = from + size;
  if (end >= text.length) return { end: text.length, next: text.length };
  const line = text.lastIndexOf('\n', end);
  if (line > from) return { end: line, next: line + 1 };
  const whole = isLowSurrogate(text.charCodeAt(end)) ? end + 1 : end;
  return { end: whole, next: whole };
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** The beginning, of at most so many characters. */
export function beginning(text: string, most: number): string {
  if (text.length <= most) return text;
  return text.slice(0, isLowSurrogate(text.charCodeAt(most)) ? most + 1 : most);
}
