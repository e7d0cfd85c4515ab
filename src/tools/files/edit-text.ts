/** Replaces an exact text in a text. Pure. Large inputs may take long, so they run in a thread (compute-text.ts). */
import { loosePlace } from './loose-place.ts';
import { explainMiss } from './patch/explain-miss.ts';

const MAX_PLACES = 20;
/** Counting stops at this many places: a long run of one letter has millions of overlapping ones. */
const MAX_COUNTED = 1000;

/** One replacement. `all`: of every occurrence. */
export interface Replacement {
  readonly old: string;
  readonly replacement: string;
  readonly all: boolean;
}

export interface EditRequest {
  readonly kind: 'edit';
  readonly text: string;
  /** Each is made in the result of those before it. */
  readonly edits: readonly Replacement[];
  /** The maximum length of the result in characters. */
  readonly maxLength: number;
}

/** What one replacement did: `line` is the line of the first place, from 1, in the text as it was then. */
export interface Made {
  readonly replaced: number;
  readonly line: number;
  /** There if the text was found although it differs. */
  readonly differs?: string;
}

export type EditResult = { readonly text: string; readonly made: readonly Made[] } | { readonly problem: string };

/** The text after all replacements; else a message for the model, and none is made. */
export function editText({ text, edits, maxLength }: EditRequest): EditResult {
  const made: Made[] = [];
  let now = text;
  for (const [nth, edit] of edits.entries()) {
    const result = replaceIn(now, edit, maxLength);
    const which = edits.length > 1 ? `edit ${nth + 1} of ${edits.length}: ` : '';
    if ('problem' in result)
      return { problem: `${which}${result.problem}${edits.length > 1 ? '. No edit was made' : ''}` };
    now = result.text;
    made.push(result.made);
  }
  return now === text ? { problem: 'the edits undo each other; nothing to change' } : { text: now, made };
}

type Replaced = { readonly text: string; readonly made: Made } | { readonly problem: string };

function replaceIn(text: string, edit: Replacement, maxLength: number): Replaced {
  const { old, replacement } = withLineEndsOf(text, edit);
  const places = placesOf(text, old);
  if (places.length === 0) return replaceLoosely(text, { ...edit, old, replacement }, edit.old);
  if (places.length > 1 && !edit.all) return { problem: notUnique(text, places) };
  const parts = text.split(old);
  const replaced = parts.length - 1;
  if (text.length + replaced * (replacement.length - old.length) > maxLength)
    return { problem: `would become larger than ${maxLength} bytes` };
  return { text: parts.join(replacement), made: { replaced, line: lineOf(text, places[0] ?? 0) } };
}

function replaceLoosely(text: string, { old, replacement, all }: Replacement, asked: string): Replaced {
  const place = all ? null : loosePlace(text, old, replacement);
  if (place === null) return { problem: explainMiss(text, asked) };
  const { from, to, differs } = place;
  const result = text.slice(0, from) + place.replacement + text.slice(to);
  return { text: result, made: { replaced: 1, line: lineOf(text, from), differs } };
}

/** Models write LF. If all lines of the file end in CRLF, their line endings are converted. */
function withLineEndsOf(text: string, edit: Pick<Replacement, 'old' | 'replacement'>) {
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
