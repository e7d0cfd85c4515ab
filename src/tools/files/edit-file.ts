/** edit_file: replaces an exact text in a file. */
import { z } from 'zod';
import { type ToolContext, type ToolOutput, toolError, worldTool } from '../tool.ts';
import { makeChanges } from './change-files.ts';
import { computeText } from './compute-text.ts';
import { refuseDatabaseFile } from './database-files.ts';
import type { Made, Replacement } from './edit-text.ts';
import { inTurn } from './file-turns.ts';
import { withMounts } from './mounts.ts';
import { isRefusal, type Refusal, refuse, refusedCall } from './refusal.ts';
import { hashOf, lastKnown, noteSeen } from './seen-files.ts';
import { MAX_FILE_BYTES, NOT_UTF8, readTextFile } from './text-file.ts';
import { resolveInside } from './workspace.ts';

const MAX_EDITS = 100;

const replacement = {
  old_string: z.string().min(1).max(MAX_FILE_BYTES).describe('Text to replace, as in the file, without line numbers'),
  new_string: z.string().max(MAX_FILE_BYTES).describe('Text to put in its place'),
  replace_all: z.boolean().optional().describe('Replace every occurrence (default false: there must be exactly one)'),
};
const input = z.strictObject({
  path: z.string().min(1).describe('File, relative to the workspace'),
  old_string: replacement.old_string.optional(),
  new_string: replacement.new_string.optional(),
  replace_all: replacement.replace_all,
  edits: z
    .array(z.strictObject(replacement))
    .min(1)
    .max(MAX_EDITS)
    .optional()
    .describe(
      'Instead of the three above: several replacements, each in the result of the one before; all or none are made',
    ),
});
type Edit = z.infer<typeof input>;

export const editFileTool = worldTool<Edit>({
  name: 'edit_file',
  description:
    'Replaces old_string, without line numbers, with new_string. It must match only once unless replace_all.',
  words: { edits: 'several instead, all or none' },
  input,
  kinds: { path: 'path' },
  risk: 'write',
  idempotent: false,
  async run(edit, context) {
    const edits = replacementsOf(edit);
    if (isRefusal(edits)) return refusedCall(edits);
    const kept = await refuseDatabaseFile(edit.path, context);
    if (kept) return refusedCall(kept);
    const bounds = await withMounts(context, [edit.path]);
    const inside = await resolveInside(bounds, edit.path);
    if (isRefusal(inside)) return refusedCall(inside);
    return await inTurn(inside.real, () => apply(edit.path, edits, bounds));
  },
});

function replacementsOf({ old_string, new_string, replace_all, edits }: Edit): readonly Replacement[] | Refusal {
  const isOne = old_string !== undefined && new_string !== undefined;
  const one = isOne ? [{ old_string, new_string, replace_all }] : [];
  if (
    (edits !== undefined) === (old_string !== undefined || new_string !== undefined) ||
    (edits === undefined && !isOne)
  )
    return refuse('give either old_string and new_string, or edits');
  const all = edits ?? one;
  if (all.some((each) => each.old_string === each.new_string))
    return refuse('old_string and new_string are the same; nothing to change');
  if (!all.every((each) => each.new_string.isWellFormed()))
    return refuse('new_string contains half of a surrogate pair and is not valid text');
  return all.map((each) => ({ old: each.old_string, replacement: each.new_string, all: each.replace_all ?? false }));
}

async function apply(path: string, edits: readonly Replacement[], context: ToolContext): Promise<ToolOutput> {
  const file = await readTextFile(context, path);
  if (isRefusal(file)) return refusedCall(file);
  if (!file.validUtf8) return toolError(`${file.shown}: ${NOT_UTF8}`);

  const request = { kind: 'edit', text: file.text, edits, maxLength: MAX_FILE_BYTES } as const;
  const edited = await computeText(request, context);
  if (isRefusal(edited)) return toolError(`${file.shown}: ${edited.refusal}`);
  if ('problem' in edited) return toolError(`${file.shown}: ${edited.problem}`);
  const { text, made } = edited;
  if (Buffer.byteLength(text) > MAX_FILE_BYTES)
    return toolError(`${file.shown}: would become larger than ${MAX_FILE_BYTES} bytes`);
  const refusal = await makeChanges(context, [{ path: { ...file, exists: true }, content: text, read: file }]);
  if (refusal) return refusedCall(refusal);
  const replaced = made.reduce((sum, each) => sum + each.replaced, 0);
  const known = lastKnown(context.seenFiles.of(file.shown), context);
  const seen = noteSeen(context, file.shown, { hash: hashOf(text), read: null, before: file.hash });
  const details = { path: file.shown, replaced, line: made[0]?.line ?? 1, ...seen };
  const changed =
    known === null || known.hash === file.hash
      ? ''
      : `. It had changed since turn ${known.turn}, perhaps in other places, too: read it again`;
  return { content: `Edited ${file.shown} ${made.map(placeOf).join('; ')}${changed}`, details };
}

function placeOf({ replaced, line, differs }: Made): string {
  const where = replaced === 1 ? `at line ${line}` : `in ${replaced} places, the first at line ${line}`;
  const adjusted = differs === 'indentation' ? ', which new_string was adjusted to' : '';
  return differs === undefined ? where : `${where} (old_string differed from the file in ${differs}${adjusted})`;
}
