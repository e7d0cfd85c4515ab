/** Memories. SQL decides who may find, change and forget them. */
import { z } from 'zod';
import type { SearchVector } from '../../daemon/models/search-embedding.ts';
import { id, json, jsonObject, time, timeIn } from '../../operations/schemas.ts';
import { forgetMemory, MEMORY_LAYERS, redactMemory, storeMemory, updateMemory } from '../../store/memory/memories.ts';
import { visibleMemoryStats } from '../../store/memory/memory-stats.ts';
import { foundBy, searchMemories } from '../../store/memory/search-memories.ts';
import { requireVisibleWork } from '../../store/views/visible/visible-work.ts';
import { jsonRoute, type Route } from '../route/route.ts';
import { memoryMergeRoutes } from './memory-merge-routes.ts';
import { searchVector } from './search-vector.ts';

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
    found_by: z
      .enum(['words', 'meaning', 'both'])
      .nullable()
      .describe('how the search found it; null without a query: it is one of the newest'),
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
  summary: 'Find memories by words and by meaning, best first; without a query the newest',
  scope: 'read',
  query: z.strictObject({
    query: z
      .string()
      .max(4000)
      .default('')
      .describe('a question, or words; "several words" are a phrase, -word excludes'),
    words_only: z.stringbool().default(false).describe('not by meaning: the query is sent to no provider'),
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
  output: z.object({
    items: z.array(memory),
    by_meaning: z.boolean().describe('embeddings were compared, too'),
    without_meaning: z.string().nullable().describe('why they were not; null if they were, or without a query'),
  }),
  prepare: async (visit, { query: { query: text, words_only: wordsOnly } }): Promise<SearchVector | null> => {
    if (text.trim() === '') return null;
    return wordsOnly ? { missing: 'as words_only asks' } : searchVector(visit, text);
  },
  run: async ({ tx, prepared }, { query }) => {
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
    const made = prepared as SearchVector | null;
    const { memories, byVectors, vectorProblem } = await searchMemories(tx, {
      viewer: workItemId === undefined ? null : { workItemId },
      text,
      embedding: made && 'vector' in made ? made : null,
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
        found_by: foundBy(found),
        alike: found.alike.map((other) => ({ ...other, updated_at: new Date(other.updated_at) })),
      })),
      by_meaning: byVectors,
      without_meaning: vectorProblem ?? (made && 'missing' in made ? made.missing : null),
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
  summary:
    'Delete a memory with its history, and with `redact` its text in the records of ended work that stored or found it',
  scope: 'work',
  params: z.strictObject({ id: id() }),
  query: z.strictObject({
    reason: z.string().min(1).max(1000).describe('why; it is recorded'),
    redact: z
      .stringbool()
      .default(false)
      .describe('also of tool calls, answers and messages of ended work that stored or found it; for operators'),
  }),
  output: z.object({
    id: id(),
    redacted: z
      .object({
        records: z.int().describe('how many were changed'),
        items: z.int().describe('in so many work items'),
        still_open: z.array(id()).describe('work that has not ended: its records stay until it is redacted again'),
      })
      .nullable()
      .describe('null: not asked for'),
  }),
  errors: ['work.not_found'],
  run: async ({ tx }, { path, query: { reason, redact } }) => {
    if (!redact) return { id: await forgetMemory(tx, path.id, reason, null), redacted: null };
    const { records, items, stillOpen } = await redactMemory(tx, path.id, reason);
    return { id: path.id, redacted: { records, items, still_open: [...stillOpen] } };
  },
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

export const memoryRoutes: readonly Route[] = [search, store, update, forget, ...memoryMergeRoutes, stats];
