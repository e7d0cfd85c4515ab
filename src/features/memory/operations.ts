/** What can be done with memories. SQL decides who may find, change and forget them. */
import type { SearchVector } from '../../daemon/embeddings/search-embedding.ts';
import { choice, flag, id, jsonObject, list, optional, other, text, time, whole } from '../../operations/fields.ts';
import { READS, smallPage } from '../../operations/mcp-offer.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import {
  updateMemory as change,
  forgetMemory as forget,
  MEMORY_LAYERS,
  storeMemory as put,
} from '../../store/memory/memories.ts';
import { searchMemories as find, foundBy } from '../../store/memory/search-memories.ts';
import * as store from './store.ts';

const layer = (description: string) => optional(choice(MEMORY_LAYERS, { description }));
const only = (description: string) => optional(text({ description }));

export const searchMemories = operation({
  name: 'searchMemories',
  tag: 'memory',
  summary: 'Find memories by words and by meaning, best first; without a query the newest',
  scope: 'read',
  http: { method: 'GET', path: '/memories' },
  mcp: {
    name: 'search_memory',
    description:
      'Find memories by words and by meaning, best first; without a query the newest. found_by says how each was found, without_meaning why not by meaning.',
    hints: READS,
    without: ['words_only'],
    instead: smallPage,
  },
  input: {
    query: text({
      max: 4000,
      default: '',
      description: 'a question, or words; "several words" are a phrase, -word excludes',
    }),
    words_only: flag({ default: false, description: 'not by meaning: the query is sent to no provider' }),
    layer: layer('only memories of this layer'),
    kind: only('only memories of this kind'),
    tag: only('only memories with this tag'),
    project: only('only memories of this project'),
    task: optional(id({ description: 'of the task that this work item belongs to' })),
    source: optional(id({ description: 'the work item that stored, changed or confirmed it' })),
    faculty: only('of that work'),
    since: optional(time({ description: 'changed at this time or later' })),
    until: optional(time({ description: 'changed before this time' })),
    half_life_days: other((s) =>
      s.z.coerce.number().min(0.001).max(100_000).optional().describe('the age that halves a score'),
    ),
    work_item_id: optional(id({ description: 'only what this work of yours would find' })),
    limit: whole({ min: 1, max: 200, default: 20 }),
  },
  output: (s) =>
    s.z.object({
      items: s.z.array(store.memory(s)),
      by_meaning: s.z.boolean().describe('embeddings were also compared'),
      without_meaning: s.z.string().nullable().describe('why they were not; null if they were, or without a query'),
    }),
  async prepare({ searchVector }, { query, words_only: wordsOnly }): Promise<SearchVector | null> {
    if (query.trim() === '') return null;
    return wordsOnly ? { missing: 'as words_only asks' } : searchVector!(query);
  },
  async run({ tx, prepared: made }, input) {
    const { query, limit, layer: of, kind, tag, project, task, source, faculty, since, until } = input;
    const { memories, byVectors, vectorProblem } = await find(tx, {
      viewer: input.work_item_id === undefined ? null : { workItemId: input.work_item_id },
      text: query,
      embedding: made && 'vector' in made ? made : null,
      filters: {
        layers: each(of),
        kinds: each(kind),
        tags: each(tag),
        project,
        task,
        source_item: source,
        faculty,
        since,
        until,
      },
      limit,
      halfLifeDays: input.half_life_days,
    });
    return {
      items: memories.map((found) => ({
        ...found,
        tags: [...found.tags],
        found_by: foundBy(found),
        alike: found.alike.map((another) => ({ ...another, updated_at: new Date(another.updated_at) })),
      })),
      by_meaning: byVectors,
      without_meaning: vectorProblem ?? (made && 'missing' in made ? made.missing : null),
    };
  },
});

function each<T>(value: T | undefined): readonly T[] | undefined {
  return value === undefined ? undefined : [value];
}

const parts = {
  kind: only('such as fact, preference, procedure, lesson; default fact'),
  tags: optional(list(text({ min: 1, max: 100 }), { max: 20 })),
  metadata: optional(jsonObject()),
};

export const storeMemory = operation({
  name: 'storeMemory',
  tag: 'memory',
  summary: 'Store a memory',
  scope: 'work',
  http: { method: 'POST', path: '/memories', status: 201 },
  input: {
    content: text({ min: 1 }),
    layer: layer('default global'),
    project: optional(text()),
    work_item_id: optional(id({ description: 'the work that it is stored for; otherwise it is the person’s own' })),
    everybody: optional(flag({ description: 'for all; operators only' })),
    ...parts,
  },
  output: (s) => s.z.object({ id: s.id(), merged: s.z.boolean().describe('the same text was already stored') }),
  errors: ['work.not_found', 'work.invalid'],
  run: ({ tx }, { work_item_id: workItemId, ...memory }) =>
    put(tx, memory, workItemId === undefined ? null : { workItemId }),
});

export const updateMemory = operation({
  name: 'updateMemory',
  tag: 'memory',
  summary: 'Change a memory, or merge another one into it',
  scope: 'work',
  http: { method: 'PATCH', path: '/memories/{id}' },
  input: {
    id: id(),
    content: optional(text({ min: 1 })),
    merge: optional(
      id({ description: 'a memory of the same place that says the same thing: it becomes part of this one' }),
    ),
    ...parts,
  },
  output: (s) =>
    s.z.object({
      id: s.id().describe('another one, if it was merged into that'),
      merged: s.z.array(s.id()).describe('what is part of it from now on: `merge`, and one that had the same text'),
    }),
  errors: ['work.not_found', 'work.invalid'],
  async run({ tx }, { id: wanted, ...changes }) {
    const { id: changed, mergedIds } = await change(tx, wanted, changes, null);
    return { id: changed, merged: [...mergedIds] };
  },
});

export const forgetMemory = operation({
  name: 'forgetMemory',
  tag: 'memory',
  summary:
    'Delete a memory with its history, and with `redact` its text in the records of ended work that stored or found it',
  scope: 'work',
  http: { method: 'DELETE', path: '/memories/{id}' },
  input: {
    id: id(),
    reason: text({ min: 1, max: 1000, description: 'why; it is recorded' }),
    redact: flag({
      default: false,
      description: 'also of tool calls, answers and messages of ended work that stored or found it; for operators',
    }),
  },
  output: store.forgotten,
  errors: ['work.not_found'],
  async run({ tx }, { id: wanted, reason, redact }) {
    if (redact) return { id: wanted, redacted: await store.redactMemory(tx, wanted, reason) };
    return { id: await forget(tx, wanted, reason, null), redacted: null };
  },
});

export const memoryMerges = operation({
  name: 'memoryMerges',
  tag: 'memory',
  summary: 'Merges of memories that can be undone, newest first',
  scope: 'read',
  http: { method: 'GET', path: '/memory-merges' },
  input: { limit: whole({ min: 1, max: 1000, default: 50 }) },
  output: (s) => s.z.object({ items: s.z.array(store.memoryMerge(s)) }),
  run: async ({ tx }, { limit }) => ({ items: await store.listMemoryMerges(tx, limit) }),
});

export const unmergeMemory = operation({
  name: 'unmergeMemory',
  tag: 'memory',
  summary: 'Undo a merge: the memory is found again',
  scope: 'work',
  http: { method: 'DELETE', path: '/memory-merges/{id}' },
  input: { id: id({ description: 'of the memory that was merged' }) },
  output: (s) => s.z.object({ id: s.id(), into_id: s.id().describe('the memory that it was part of') }),
  errors: ['work.not_found', 'work.state', 'work.invalid'],
  run: async ({ tx }, { id: merged }) => ({ id: merged, into_id: await store.unmergeMemory(tx, merged) }),
});

export const memoryStats = operation({
  name: 'memoryStats',
  tag: 'memory',
  summary: 'How many memories each layer has, and the state of their embeddings; for those who may see all work',
  scope: 'read',
  http: { method: 'GET', path: '/memory-stats' },
  input: {},
  output: store.memoryStats,
  run: ({ tx }) => store.readMemoryStats(tx),
});

/** In the order of the OpenAPI document. */
export const memoryOperations: readonly Operation[] = [
  searchMemories,
  storeMemory,
  updateMemory,
  forgetMemory,
  memoryMerges,
  unmergeMemory,
  memoryStats,
];
