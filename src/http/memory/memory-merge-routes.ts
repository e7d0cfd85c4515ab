/** Merges of memories, and undoing them. SQL decides who may. */
import { z } from 'zod';
import { id, time } from '../../operations/schemas.ts';
import { MEMORY_LAYERS } from '../../store/memory/memories.ts';
import { listMemoryMerges, unmergeMemory } from '../../store/memory/memory-merges.ts';
import { jsonRoute, type Route } from '../route/route.ts';

const merges = jsonRoute({
  id: 'memoryMerges',
  method: 'GET',
  path: '/memory-merges',
  tag: 'memory',
  summary: 'Merges of memories that can be undone, newest first',
  scope: 'read',
  query: z.strictObject({ limit: z.coerce.number().int().min(1).max(1000).default(50) }),
  output: z.object({
    items: z.array(
      z
        .object({
          id: id().describe('the memory that was merged'),
          into_id: id(),
          reason: z.enum(['same_text', 'asked', 'similar']),
          actor: z.string().nullable(),
          work_item_id: id().nullable(),
          merged_at: time(),
          layer: z.enum(MEMORY_LAYERS),
          project: z.string().nullable(),
          kind: z.string(),
          content: z.string().describe('of the memory that was merged'),
          into_content: z.string().describe('what is found instead'),
          submitted_by: z.string().nullable(),
        })
        .meta({ id: 'MemoryMerge' }),
    ),
  }),
  run: async ({ tx }, { query }) => ({
    items: (await listMemoryMerges(tx, query.limit)).map((merge) => ({
      ...merge,
      into_id: merge.intoId,
      work_item_id: merge.workItemId,
      merged_at: merge.mergedAt,
      into_content: merge.intoContent,
      submitted_by: merge.submittedBy,
    })),
  }),
});

const unmerge = jsonRoute({
  id: 'unmergeMemory',
  method: 'DELETE',
  path: '/memory-merges/{id}',
  tag: 'memory',
  summary: 'Undo a merge: the memory is found again',
  scope: 'work',
  params: z.strictObject({ id: id().describe('of the memory that was merged') }),
  output: z.object({ id: id(), into_id: id().describe('the memory that it was part of') }),
  errors: ['work.not_found', 'work.state', 'work.invalid'],
  run: async ({ tx }, { path }) => ({ id: path.id, into_id: await unmergeMemory(tx, path.id) }),
});

export const memoryMergeRoutes: readonly Route[] = [merges, unmerge];
