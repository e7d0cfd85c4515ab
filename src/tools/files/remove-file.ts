/** remove_file: removes one file. */
import { lstat, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { whileHeld } from '../../core/lifecycle/lease.ts';
import { worldTool } from '../tool.ts';
import { refuseDatabaseFile } from './database-files.ts';
import { inTurn } from './file-turns.ts';
import { withMounts } from './mounts.ts';
import { isRefusal, type Refusal, refusalOf, refuse, refusedCall } from './refusal.ts';
import { isHidden, openDirectoryInside, readOnlyReason, resolveInside, unfitPath } from './workspace.ts';

const input = z.strictObject({
  path: z.string().min(1).describe('File, relative to the workspace'),
});

export const removeFileTool = worldTool<z.infer<typeof input>>({
  name: 'remove_file',
  description:
    'Removes one file of the workspace; of a symbolic link, the link and not its target. Directories are not removed.',
  words: { path: 'relative to the workspace' },
  input,
  kinds: { path: 'path' },
  risk: 'write',
  idempotent: false,
  async run({ path }, context) {
    const kept = await refuseDatabaseFile(path, context);
    if (kept) return refusedCall(kept);
    const removed = await remove(path, await withMounts(context, [path]));
    if (isRefusal(removed)) return refusedCall(removed);
    return { content: `Removed ${removed.shown}`, details: { path: removed.shown, bytes: removed.bytes } };
  },
});

interface Removed {
  readonly shown: string;
  readonly bytes: number;
}

/** Its directory is resolved, not the file itself: a link is removed, wherever it leads. */
async function remove(path: string, context: Awaited<ReturnType<typeof withMounts>>): Promise<Removed | Refusal> {
  const unfit = unfitPath(path);
  if (unfit) return unfit;
  const absolute = resolve(context.workspace, path);
  if (absolute === context.workspace || /(^|\/)\.{0,2}$/.test(path))
    return refuse(`${path}: names a directory; give the name of a file`);
  const parent = await resolveInside(context, dirname(absolute));
  if (isRefusal(parent)) return parent;
  const name = basename(absolute);
  const shown = parent.shown === '.' ? name : join(parent.shown, name);
  return inTurn(join(parent.real, name), async () => {
    const opened = await openDirectoryInside(context, parent.real, { create: false });
    if (isRefusal(opened)) return opened;
    await using directory = opened;
    const real = join(directory.real, name);
    if (isHidden(context.fileRules, real))
      return refuse(`${shown}: is not accessible to tools: it contains secrets of animus`, 'secret');
    const readOnly = readOnlyReason(context, real);
    if (readOnly) return refuse(`${shown}: ${readOnly.why}`, readOnly.boundary);
    const target = `${directory.base}/${name}`;
    try {
      const stats = await lstat(target);
      if (stats.isDirectory()) return refuse(`${shown}: is a directory; remove_file removes single files`);
      if (!stats.isFile() && !stats.isSymbolicLink()) return refuse(`${shown}: is neither a regular file nor a link`);
      await whileHeld(context.lease, () => unlink(target));
      return { shown, bytes: stats.size };
    } catch (error) {
      return refusalOf(error, shown);
    }
  });
}
