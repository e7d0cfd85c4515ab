/** edit_file: replaces an exact text in a file. */
import { z } from 'zod';
import { type ToolContext, type ToolOutput, toolError, worldTool } from '../tool.ts';
import { makeChanges } from './change-files.ts';
import { computeText } from './compute-text.ts';
import { refuseDatabaseFile } from './database-files.ts';
import { inTurn } from './file-turns.ts';
import { withMounts } from './mounts.ts';
import { isRefusal, refusedCall } from './refusal.ts';
import { MAX_FILE_BYTES, NOT_UTF8, readTextFile } from './text-file.ts';
import { resolveInside } from './workspace.ts';

const input = z.strictObject({
  path: z.string().min(1).describe('File, relative to the workspace'),
  old_string: z.string().min(1).max(MAX_FILE_BYTES).describe('Text to replace, as in the file, without line numbers'),
  new_string: z.string().max(MAX_FILE_BYTES).describe('Text to put in its place'),
  replace_all: z.boolean().optional().describe('Replace every occurrence (default false: there must be exactly one)'),
});
type Edit = z.infer<typeof input>;

export const editFileTool = worldTool<Edit>({
  name: 'edit_file',
  description:
    'Replaces old_string with new_string in a text file of the workspace. old_string must match exactly (white space included, no line numbers), and ' +
    'only once unless replace_all is true. LF or CRLF is kept.',
  words: { path: 'relative to the workspace' },
  input,
  kinds: { path: 'path' },
  risk: 'write',
  idempotent: false,
  async run(edit, context) {
    if (edit.old_string === edit.new_string)
      return toolError('old_string and new_string are the same; nothing to change');
    if (!edit.new_string.isWellFormed())
      return toolError('new_string contains half of a surrogate pair and is not valid text');
    const kept = await refuseDatabaseFile(edit.path, context);
    if (kept) return refusedCall(kept);
    const bounds = await withMounts(context, [edit.path]);
    const inside = await resolveInside(bounds, edit.path);
    if (isRefusal(inside)) return refusedCall(inside);
    return await inTurn(inside.real, () => apply(edit, bounds));
  },
});

async function apply(edit: Edit, context: ToolContext): Promise<ToolOutput> {
  const file = await readTextFile(context, edit.path);
  if (isRefusal(file)) return refusedCall(file);
  if (!file.validUtf8) return toolError(`${file.shown}: ${NOT_UTF8}`);

  const { old_string: old, new_string: replacement, replace_all: all = false } = edit;
  const request = { kind: 'edit', text: file.text, old, replacement, all, maxLength: MAX_FILE_BYTES } as const;
  const edited = await computeText(request, context);
  if (isRefusal(edited)) return toolError(`${file.shown}: ${edited.refusal}`);
  if ('problem' in edited) return toolError(`${file.shown}: ${edited.problem}`);
  const { text, replaced, line } = edited;
  if (Buffer.byteLength(text) > MAX_FILE_BYTES)
    return toolError(`${file.shown}: would become larger than ${MAX_FILE_BYTES} bytes`);
  const refusal = await makeChanges(context, [{ path: { ...file, exists: true }, content: text, read: file.stats }]);
  if (refusal) return refusedCall(refusal);
  const where = replaced === 1 ? `at line ${line}` : `in ${replaced} places, the first at line ${line}`;
  return { content: `Edited ${file.shown} ${where}`, details: { path: file.shown, replaced, line } };
}
