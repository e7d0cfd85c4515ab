/** What came with an item, what it has made, and what it has changed in its worktree. */
import { patchFiles } from '../../core/text/patch-files.ts';
import { id, limit, optional } from '../../operations/fields.ts';
import { READS } from '../../operations/mcp-offer.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { pageOf } from '../../operations/page-of.ts';
import { row } from '../../operations/row.ts';
import { readItemPatch, readItemResult } from '../../store/views/item-worktree.ts';
import { requireVisibleWork } from '../../store/views/views-of-login.ts';
import { readVisibleArtifacts } from '../../store/views/visible/visible-artifacts.ts';

const artifact = row(({ z, id: rowId, time }) =>
  z
    .object({ id: rowId(), name: z.string(), media_type: z.string(), bytes: z.number(), created_at: time() })
    .meta({ id: 'Artifact' }),
);

const listArtifacts = operation({
  name: 'listArtifacts',
  tag: 'artifacts',
  summary: 'The files of an item, oldest first; `changes.patch` is what it has changed in its worktree',
  scope: 'read',
  http: { method: 'GET', path: '/work/{id}/artifacts' },
  input: { id: id(), after: optional(id()), limit: limit() },
  output: (s) => s.page(artifact(s)),
  errors: ['work.not_found'],
  async run({ tx }, input) {
    await requireVisibleWork(tx, input.id);
    const found = await readVisibleArtifacts(tx, input.id, input.after ?? null, input.limit + 1);
    return pageOf(found, input.limit, (file) => file.id);
  },
});

/** A patch of 4 MiB may name more; the rest is counted. */
const MOST_FILES = 1000;

const diff = row(({ z, id: rowId }) =>
  z
    .object({
      work_item_id: rowId(),
      branch: z.string().describe('in the repository of the item'),
      start: z.string().describe('the commit that it started from'),
      tip: z.string().describe('the last commit of the branch'),
      rest: z.string().nullable().describe('a commit with what was left uncommitted; null: nothing was'),
      files: z
        .array(
          z.object({
            path: z.string(),
            added: z.int().nullable().describe('lines; null: not text'),
            removed: z.int().nullable(),
          }),
        )
        .describe('at most 1000, in the order of git; empty if the patch is too large to be stored'),
      more_files: z.int(),
      patch_bytes: z.int().describe('of the whole patch'),
      has_patch: z.boolean().describe('whether it is stored: up to 4 MiB are'),
      lost: z.string().nullable().describe('what was lost of it; null: nothing'),
    })
    .meta({ id: 'Diff' }),
);

const readDiff = operation({
  name: 'readDiff',
  tag: 'artifacts',
  summary: 'What an item has changed in its worktree, file by file',
  scope: 'read',
  http: { method: 'GET', path: '/work/{id}/diff' },
  mcp: {
    name: 'read_diff',
    description:
      'What an item has changed in its worktree: branch, commits, and the lines added and removed of each file. Not the text of the changes.',
    hints: READS,
  },
  input: { id: id() },
  output: diff,
  errors: ['work.not_found'],
  async run({ tx }, input) {
    const result = await readItemResult(tx, input.id);
    const patch = await readItemPatch(tx, input.id);
    const files = patch === null ? [] : patchFiles(patch);
    return {
      ...result,
      files: files.slice(0, MOST_FILES),
      more_files: Math.max(0, files.length - MOST_FILES),
      patch_bytes: result.patch_bytes ?? 0,
    };
  },
});

/** In the order of the OpenAPI document. */
export const artifactOperations: readonly Operation[] = [listArtifacts, readDiff];
