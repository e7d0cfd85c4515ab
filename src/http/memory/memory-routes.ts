/** Memories. SQL decides who may find, change and forget them. */
import { z } from 'zod';
import { forgetMemory, MEMORY_LAYERS, storeMemory, updateMemory } from '../../store/memory/memories.ts';
import { listMemoryMerges, unmergeMemory } from '../../store/memory/memory-merges.ts';
import { visibleMemoryStats } from '../../store/memory/memory-stats.ts';
import { searchMemories } from '../../store/memory/search-memories.ts';
import { requireVisibleWork } from '../../store/views/visible/visible-work.ts';
import { jsonRoute, type Route } from '../route/route.ts';
import { id, json, jsonObject, time, timeIn } from '../route/schemas.ts';

const layer = () => z.enum(MEMORY_LAYERS);
const words = () => z.array(z.string().min(1).max(100)).max(20);
const memory = z
  .object({
    id: id(),
    layer: layer(),
    project: z.string().nullable(),
    task: id().nullable(),
    kind: z.string(),
    tags: z.array(z.string()),
    content: z.string(),
    metadata: jsonObject(),
    submitted_by: z.string().nullable().describe('null: everybody’s'),
    created_at: time(),
    updated_at: time(),
    score: z.number().nullable(),
    source_item: id().nullable(),
    alike: z
      .array(z.object({ id: id(), content: z.string(), updated_at: time() }))
      .describe('others of its place with nearly the same words, at most three: other facts, or the same one'),
  })
  .meta({ id: 'Memory' });

const search = jsonRoute({
  id: 'searchMemories',
  method: 'GET',
  path: '/memories',
  tag: 'memory',
  summary: 'Find memories by words, best first; without a query the newest',
  scope: 'read',
  query: z.strictObject({
    query: z.string().max(4000).default('').describe('words to look for'),
    layer: layer().optional().describe('only memories of this layer'),
    kind: z.string().optional().describe('only memories of this kind'),
    tag: z.string().optional().describe('only memories with this tag'),
    project: z.string().optional().describe('only memories of this project'),
    task: id().optional().describe('of the task that this work item belongs to'),
    source: id().optional().describe('the work item that stored, changed or confirmed it'),
    faculty: z.string().optional().describe('of that work'),
    since: timeIn().optional().describe('changed at this time or later'),
    until: timeIn().optional().describe('changed before this time'),
    half_life_days: z.coerce.number().min(0.001).max(100_000).optional().describe('the age that halves a score'),
    work_item_id: id().optional().describe('only what this work of yours would find'),
    limit: z.coerce.number().int().min(1).max(200).default(20),
  }),
  output: z.object({ items: z.array(memory) }),
  run: async ({ tx }, { query }) => {
    const { query: text, limit, layer: of, kind, tag, project, task, source, faculty, since, until } = query;
    const filters = {
      ...(of !== undefined && { layers: [of] }),
      ...(kind !== undefined && { kinds: [kind] }),
      ...(tag !== undefined && { tags: [tag] }),
      ...(project !== undefined && { project }),
      ...(task !== undefined && { task }),
      ...(source !== undefined && { sourceItem: source }),
      ...(faculty !== undefined && { faculty }),
      ...(since !== undefined && { since: new Date(since) }),
      ...(until !== undefined && { until: new Date(until) }),
    };
    const { half_life_days: halfLifeDays, work_item_id: workItemId } = query;
    if (workItemId !== undefined) await requireVisibleWork(tx, workItemId);
    const { memories } = await searchMemories(tx, {
      viewer: workItemId === undefined ? null : { workItemId },
      text,
      embedding: null,
      filters,
      limit,
      ...(halfLifeDays !== undefined && { halfLifeDays }),
    });
    return {
      items: memories.map((found) => ({
        ...found,
        tags: [...found.tags],
        submitted_by: found.submittedBy,
        created_at: found.createdAt,
        updated_at: found.updatedAt,
        source_item: found.sourceItem,
        alike: found.alike.map((other) => ({ ...other, updated_at: new Date(other.updated_at) })),
      })),
    };
  },
});

const parts = {
  kind: z.string().optional().describe('such as fact, preference, procedure, lesson; default fact'),
  tags: words().optional(),
  metadata: jsonObject().optional(),
};

const store = jsonRoute({
  id: 'storeMemory',
  method: 'POST',
  path: '/memories',
  tag: 'memory',
  summary: 'Store a memory',
  scope: 'work',
  body: z.strictObject({
    content: z.string().min(1),
    layer: layer().optional().describe('default global'),
    project: z.string().optional(),
    work_item_id: id().optional().describe('the work that it is stored for; otherwise it is the person’s own'),
    everybody: z.boolean().optional().describe('for all; operators only'),
    ...parts,
  }),
  status: 201,
  output: z.object({ id: id(), merged: z.boolean().describe('the same text was there already') }),
  errors: ['work.not_found', 'work.invalid'],
  run: async ({ tx }, { body }) => {
    const { work_item_id: workItemId, ...given } = body;
    if (workItemId !== undefined) await requireVisibleWork(tx, workItemId);
    return storeMemory(tx, present(given), workItemId === undefined ? null : { workItemId });
  },
});

const update = jsonRoute({
  id: 'updateMemory',
  method: 'PATCH',
  path: '/memories/{id}',
  tag: 'memory',
  summary: 'Change a memory, or merge another one into it',
  scope: 'work',
  params: z.strictObject({ id: id() }),
  body: z.strictObject({
    content: z.string().min(1).optional(),
    merge: id().optional().describe('a memory of the same place that says the same: it becomes part of this one'),
    ...parts,
  }),
  output: z.object({
    id: id().describe('another one, if it was merged into that'),
    merged: z.array(id()).describe('what is part of it from now on: `merge`, and one that had the same text'),
  }),
  errors: ['work.not_found', 'work.invalid'],
  run: async ({ tx }, { path, body }) => {
    const { id: changed, mergedIds } = await updateMemory(tx, path.id, present(body), null);
    return { id: changed, merged: [...mergedIds] };
  },
});

const forget = jsonRoute({
  id: 'forgetMemory',
  method: 'DELETE',
  path: '/memories/{id}',
  tag: 'memory',
  summary: 'Delete a memory with its history',
  scope: 'work',
  params: z.strictObject({ id: id() }),
  query: z.strictObject({ reason: z.string().min(1).max(1000).describe('why; it is recorded') }),
  output: z.object({ id: id() }),
  errors: ['work.not_found'],
  run: async ({ tx }, { path, query }) => ({ id: await forgetMemory(tx, path.id, query.reason, null) }),
});

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
          layer: layer(),
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

const layerStats = z
  .object({
    memories: z.int(),
    places: z.int().describe('tasks, projects or people that have some'),
    limit: z.int().describe('of each of them'),
    merged: z.int(),
    embedded: z.int(),
    refused: z.int(),
    bytes: z.number(),
  })
  .meta({ id: 'MemoryStats' });

const stats = jsonRoute({
  id: 'memoryStats',
  method: 'GET',
  path: '/memory-stats',
  tag: 'memory',
  summary: 'How many memories each layer has, and the state of their embeddings; for those who may see all work',
  scope: 'read',
  output: z.object({
    layers: z.object({ task: layerStats, project: layerStats, global: layerStats }),
    embeddings: json().describe('of the present model; null: no daemon has run with one'),
  }),
  run: ({ tx }) => visibleMemoryStats(tx),
});

type Present<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };

/** Without keys that have no value. */
function present<T extends object>(given: T): Present<T> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Present<T>;
}

export const memoryRoutes: readonly Route[] = [search, store, update, forget, merges, unmerge, stats];
