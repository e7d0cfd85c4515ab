/** Escapes untrusted text for terminals. */

/**
 * Makes untrusted text safe to print: control characters, the start of escape sequences, and characters that reorder
 * text are shown as escapes. Line ends become spaces; use `harmlessLines` to keep them.
 */
export function harmless(text: string): string {
  return escapeControls(inOneLine(text).replaceAll('\t', ' '));
}

/** Line ends and the space around them become one space. Without a regular expression, which would take quadratic time on long runs of spaces. */
function inOneLine(text: string): string {
  const [first = '', ...rest] = text.split('\n');
  const last = rest.pop();
  if (last === undefined) return text;
  const between = rest.map((line) => line.trim()).filter((line) => line !== '');
  return [first.trimEnd(), ...between, last.trimStart()].join(' ');
}

/** The same for text of several lines. */
export function harmlessLines(text: string): string[] {
  return text.split(/\r?\n/).map((line) => escapeControls(line.replaceAll('\t', '  ')));
}

/** The same for a text that somebody decides about: characters that nobody sees, such as zero-width ones, are also shown as escapes. */
export function visibleLines(text: string): string[] {
  return harmlessLines(text).map((line) =>
    line.replace(INVISIBLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`),
  );
}

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

// C0, DEL and C1; line and paragraph separators; bidirectional overrides and isolates.
// oxlint-disable-next-line no-control-regex
const DANGEROUS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;

/** True if the text has a character that the functions above escape. */
export function isDangerous(text: string): boolean {
  return text.search(DANGEROUS) >= 0;
}

function escapeControls(text: string): string {
  return text.toWellFormed().replace(DANGEROUS, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** A line of JSON, as it is written to a log, with the same characters escaped; its line end stays. */
export function harmlessJsonLine(line: string): string {
  return line.replace(DANGEROUS, jsonEscape);
}

/** JSON with the same characters as JSON escapes, so that it parses to the same value. */
export function harmlessJson(value: unknown, indent?: number): string {
  return harmlessJsonLine(JSON.stringify(value, null, indent));
}

function jsonEscape(character: string): string {
  return character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
