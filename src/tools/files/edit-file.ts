/** edit_file: replaces a text in a file, exactly. */
import { z } from 'zod';
import { type ToolOutput, toolError, worldTool } from '../tool.ts';
import { inTurn } from './file-turns.ts';
import { explainMiss } from './patch/explain-miss.ts';
import { isRefusal } from './refusal.ts';
import { replaceFile } from './replace-file.ts';
import { MAX_FILE_BYTES, readTextFile } from './text-file.ts';
import { type Bounds, resolveInside } from './workspace.ts';

const MAX_PLACES = 20;
/** Beyond this many places even counting stops: overlapping ones in a long run of one letter are millions. */
const MAX_COUNTED = 1000;

const input = z.strictObject({
  path: z.string().min(1).describe('File, relative to the workspace'),
  old_string: z.string().min(1).describe('Text to replace, exactly as it stands in the file, without line numbers'),
  new_string: z.string().describe('Text to put in its place'),
  replace_all: z
    .boolean()
    .optional()
    .describe('Replace every occurrence; without it there must be exactly one (default false)'),
});
type Edit = z.infer<typeof input>;

export const editFileTool = worldTool<Edit>({
  name: 'edit_file',
  description:
    'Replaces old_string by new_string in a text file of the workspace, atomically. old_string must match exactly, white ' +
    'space included, and be unique unless replace_all is true. Line ends of the file (LF or CRLF) are kept.',
  input,
  risk: 'write',
  idempotent: false,
  async run(edit, context) {
    if (edit.old_string === edit.new_string)
      return toolError('old_string and new_string are the same: there is nothing to change');
    if (!edit.new_string.isWellFormed())
      return toolError('new_string has half of a surrogate pair and is no valid text');
    const inside = await resolveInside(context, edit.path);
    if (isRefusal(inside)) return toolError(inside.refusal);
    return await inTurn(inside.real, () => apply(edit, context));
  },
});

async function apply(edit: Edit, bounds: Bounds): Promise<ToolOutput> {
  const file = await readTextFile(bounds, edit.path);
  if (isRefusal(file)) return toolError(file.refusal);
  if (!file.validUtf8)
    return toolError(
      `${file.shown}: is not valid UTF-8, so saving it would damage it; convert it first (bash: iconv -f LATIN1 -t UTF-8, say), or change it with bash`,
    );

  const { old, replacement } = withLineEndsOf(file.text, edit);
  const places = placesOf(file.text, old);
  if (places.length === 0) return toolError(`${file.shown}: ${explainMiss(file.text, edit.old_string)}`);
  if (places.length > 1 && !edit.replace_all) return toolError(`${file.shown}: ${notUnique(file.text, places)}`);

  const parts = file.text.split(old);
  const text = parts.join(replacement);
  if (Buffer.byteLength(text) > MAX_FILE_BYTES)
    return toolError(`${file.shown}: would become larger than ${MAX_FILE_BYTES} bytes`);
  const done = await replaceFile(bounds, { ...file, exists: true }, text, file.stats);
  if (isRefusal(done)) return toolError(done.refusal);
  const replaced = parts.length - 1;
  const line = lineOf(file.text, places[0] ?? 0);
  const where = replaced === 1 ? `at line ${line}` : `in ${replaced} places, the first at line ${line}`;
  return { content: `Edited ${file.shown} ${where}`, details: { path: file.shown, replaced, line } };
}

/** Models write LF; in a file of CRLF throughout, their texts are meant to end lines as the file does. */
function withLineEndsOf(text: string, edit: Edit): { old: string; replacement: string } {
  const isCrlf = text.includes('\r\n') && !/(?<!\r)\n/.test(text);
  const convert = (value: string): string => (isCrlf ? value.replace(/\r?\n/g, '\r\n') : value);
  return { old: convert(edit.old_string), replacement: convert(edit.new_string) };
}

/** Offsets of the occurrences, overlapping ones included: `aa` stands twice in `aaa`, and which one is meant is open. */
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
    `old_string stands there ${places.length}${places.length < MAX_COUNTED ? '' : ' or more'} times, at lines ${lines.join(', ')}${more}. ` +
    'Add surrounding lines until it is unique, or set replace_all'
  );
}

function lineOf(text: string, at: number): number {
  let line = 1;
  for (let next = text.indexOf('\n'); next >= 0 && next < at; next = text.indexOf('\n', next + 1)) line++;
  return line;
}
