/** What an item has changed in its worktree. */
import { z } from 'zod';
import { AnimusError } from '../../core/errors/errors.ts';
import { type ChangedFile, patchFiles } from '../../core/text/patch-files.ts';
import { id } from '../../operations/schemas.ts';
import { type ItemWorktree, readItemPatch, readItemWorktree } from '../../store/views/item-worktree.ts';
import { asVisitor } from '../login/visitor.ts';
import { jsonRoute, type Route, streamRoute } from '../route/route.ts';
import { DOWNLOAD, download } from './download.ts';

/** A patch of 4 MiB may name more; the rest is counted. */
const MOST_FILES = 1000;

const params = z.strictObject({ id: id() });
const changed = z.object({
  path: z.string(),
  added: z.int().nullable().describe('lines; null: not text'),
  removed: z.int().nullable(),
});
const diff = z
  .object({
    work_item_id: id(),
    branch: z.string().describe('in the repository of the item'),
    start: z.string().describe('the commit that it began at'),
    tip: z.string().describe('the last commit of the branch'),
    rest: z.string().nullable().describe('a commit with what was left uncommitted; null: nothing was'),
    files: z.array(changed).describe('at most 1000, in the order of git; empty if the patch is too large to be stored'),
    more_files: z.int(),
    patch_bytes: z.int().describe('of the whole patch'),
    has_patch: z.boolean().describe('whether it is stored: up to 4 MiB are'),
    lost: z.string().nullable().describe('what of it was lost; null: nothing'),
  })
  .meta({ id: 'Diff' });

const readDiff = jsonRoute({
  id: 'readDiff',
  method: 'GET',
  path: '/work/{id}/diff',
  tag: 'artifacts',
  summary: 'What an item has changed in its worktree, file by file',
  scope: 'read',
  params,
  output: diff,
  errors: ['work.not_found'],
  run: async ({ tx }, { path }) => {
    const item = await readResult(tx, path.id);
    const patch = await readItemPatch(tx, path.id);
    const files: readonly ChangedFile[] = patch === null ? [] : patchFiles(patch);
    return {
      work_item_id: path.id,
      branch: item.branch,
      start: item.start,
      tip: item.tip,
      rest: item.rest,
      files: files.slice(0, MOST_FILES),
      more_files: Math.max(0, files.length - MOST_FILES),
      patch_bytes: item.patch_bytes ?? 0,
      has_patch: item.has_patch,
      lost: item.lost,
    };
  },
});

const readPatch = streamRoute({
  id: 'readPatch',
  method: 'GET',
  path: '/work/{id}/patch',
  tag: 'artifacts',
  summary: 'What an item has changed in its worktree, as a patch for git apply; supports Range',
  scope: 'read',
  params,
  media: ['text/x-diff'],
  described: DOWNLOAD,
  errors: ['work.not_found'],
  respond: async (visit, { path }, request) => {
    const item = await asVisitor(visit.services.db, visit.visitor, (tx) => readResult(tx, path.id));
    if (!item.has_patch) throw notThere(path.id);
    return download(visit, path.id, request);
  },
});

type Result = ItemWorktree & { readonly branch: string; readonly start: string; readonly tip: string };

/** Errors: `work.not_found`, also for an item without a worktree: it has no such file. */
async function readResult(tx: Parameters<typeof readItemWorktree>[0], workItemId: string): Promise<Result> {
  const item = await readItemWorktree(tx, workItemId);
  const { branch, start, tip } = item;
  if (branch === null || start === null || tip === null) throw notThere(workItemId);
  return { ...item, branch, start, tip };
}

/** The same body for an item that is not there, may not be seen, or has changed nothing. */
function notThere(workItemId: string): AnimusError {
  return new AnimusError('work.not_found', { id: workItemId, detail: `no work item ${workItemId}` });
}

export const resultRoutes: readonly Route[] = [readDiff, readPatch];
