/** write_file: writes a whole file atomically. */
import { z } from 'zod';
import { toolError, worldTool } from '../tool.ts';
import { makeChanges } from './change-files.ts';
import { refuseDatabaseFile } from './database-files.ts';
import { inTurn } from './file-turns.ts';
import { mayReplace } from './may-replace.ts';
import { withMounts } from './mounts.ts';
import { isRefusal, refusedCall } from './refusal.ts';
import { hashOf, noteSeen } from './seen-files.ts';
import { existing } from './temporary-file.ts';
import { MAX_FILE_BYTES } from './text-file.ts';
import { resolveInside } from './workspace.ts';

const input = z.strictObject({
  path: z.string().min(1).describe('File, relative to the workspace'),
  content: z.string().describe('The whole new content'),
  overwrite: z
    .boolean()
    .optional()
    .describe('Replace a file that you have not read, or that has changed since (default false)'),
});

export const writeFileTool = worldTool<z.infer<typeof input>>({
  name: 'write_file',
  description:
    'Creates a file of the workspace, and missing directories, or replaces one that you have read. edit_file changes a part.',
  words: { path: 'relative to the workspace', overwrite: 'even unread' },
  input,
  kinds: { path: 'path' },
  risk: 'write',
  idempotent: true,
  async run({ path, content, overwrite = false }, context) {
    const bytes = Buffer.byteLength(content);
    if (bytes > MAX_FILE_BYTES)
      return toolError(`${path}: ${bytes} bytes are too many; the limit is ${MAX_FILE_BYTES}`);
    if (!content.isWellFormed())
      return toolError(`${path}: the content contains half of a surrogate pair and is not valid text`);
    const kept = await refuseDatabaseFile(path, context);
    if (kept) return refusedCall(kept);
    const bounds = await withMounts(context, [path]);
    const inside = await resolveInside(bounds, path);
    if (isRefusal(inside)) return refusedCall(inside);
    if (path.endsWith('/')) return toolError(`${path}: names a directory; give the name of a file`);
    return await inTurn(inside.real, async () => {
      const hash = hashOf(content);
      const there = overwrite ? 'any' : await mayReplace(bounds, inside, hash, context);
      if (isRefusal(there)) return refusedCall(there);
      // Where this look fails, the change is refused, with the reason.
      const created = there === null || (await existing(inside.real).catch(() => null)) === null;
      const refusal = await makeChanges(bounds, [{ path: inside, content, read: there }]);
      if (refusal) return refusedCall(refusal);
      const { shown } = inside;
      return {
        content: `${created ? 'Created' : 'Replaced'} ${shown} (${bytes} bytes)`,
        details: { path: shown, bytes, created, ...noteSeen(context, shown, { hash, read: null }) },
      };
    });
  },
});
