/** Replaces an exact text in a text. Pure. Large inputs may take long, so they run in a thread (compute-text.ts). */
import { explainMiss } from './patch/explain-miss.ts';

const MAX_PLACES = 20;
/** Counting stops at this many places: a long run of one letter has millions of overlapping ones. */
const MAX_COUNTED = 1000;

export interface EditRequest {
  readonly kind: 'edit';
  readonly text: string;
  readonly old: string;
  readonly replacement: string;
  readonly all: boolean;
  /** The maximum length of the result in characters. */
  readonly maxLength: number;
}

/** `line` is the line of the first replacement, from 1. */
export type EditResult =
  | { readonly text: string; readonly replaced: number; readonly line: number }
  | { readonly problem: string };

/** The text with the only occurrence of `old` replaced, or all of them; else a message for the model. */
export function editText({ text, all, maxLength, ...edit }: EditRequest): EditResult {
  const { old, replacement } = withLineEndsOf(text, edit);
  const places = placesOf(text, old);
  if (places.length === 0) return { problem: explainMiss(text, edit.old) };
  if (places.length > 1 && !all) return { problem: notUnique(text, places) };
  const parts = text.split(old);
  const replaced = parts.length - 1;
  if (text.length + replaced * (replacement.length - old.length) > maxLength)
    return { problem: `would become larger than ${maxLength} bytes` };
  return { text: parts.join(replacement), replaced, line: lineOf(text, places[0] ?? 0) };
}

/** Models write LF. If all lines of the file end in CRLF, their line endings are converted. */
function withLineEndsOf(text: string, edit: { readonly old: string; readonly replacement: string }) {
  const isCrlf = text.includes('\r\n') && !/(?<!\r)\n/.test(text);
  const convert = (value: string): string => (isCrlf ? value.replace(/\r?\n/g, '\r\n') : value);
  return { old: convert(edit.old), replacement: convert(edit.replacement) };
}

/** Offsets of the occurrences, including overlapping ones: `aa` occurs twice in `aaa`, which is ambiguous. */
function placesOf(text: string, searched: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(searched); at >= 0; at = text.indexOf(searched, at + 1)) {
    if (places.push(at) >= MAX_COUNTED) break;
  }
  return places;
}

function notUnique(text: string, places: readonly number[]): string {
  const lines = places.slice(0, MAX_PLACES).map((at) => lineOf(text, at));
  const more = places.length > MAX_PLACES ? ', …' : '';
  return (
    `old_string occurs ${places.length}${places.length < MAX_COUNTED ? '' : ' or more'} times, at lines ${lines.join(', ')}${more}. ` +
    'Add surrounding lines until it is unique, or set replace_all'
  );
}

function lineOf(text: string, at: number): number {
  let line = 1;
  for (let next = text.indexOf('\n'); next >= 0 && next < at; next = text.indexOf('\n', next + 1)) line++;
  return line;
}
