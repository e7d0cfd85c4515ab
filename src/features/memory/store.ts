/** Memories: the shapes of their rows, and what only people and programs do with them. What work also does is in `src/store/memory`. */
import { choice } from '../../operations/fields.ts';
import { type RowOf, row } from '../../operations/row.ts';
import { MEMORY_LAYERS } from '../../store/memory/memories.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { toText } from '../../store/sql/json.ts';
import { readValue } from '../../store/sql/read-value.ts';

export const layer = choice(MEMORY_LAYERS);

/** A memory that was found, as `searchMemories` of the store returns it. */
export const memory = row((s) =>
  s.z
    .object({
      id: s.id(),
      layer: s.words(layer),
      project: s.z.string().nullable(),
      task: s.id().nullable(),
      kind: s.z.string(),
      tags: s.z.array(s.z.string()),
      content: s.z.string(),
      metadata: s.jsonObject(),
      submitted_by: s.z.string().nullable().describe('null: everybody’s'),
      created_at: s.time(),
      updated_at: s.time(),
      score: s.z.number().nullable(),
      found_by: s.z
        .enum(['words', 'meaning', 'both'])
        .nullable()
        .describe('how the search found it; null without a query: it is one of the newest'),
      source_item: s.id().nullable(),
      alike: s.z
        .array(s.z.object({ id: s.id(), content: s.z.string(), updated_at: s.time() }))
        .describe('others of its place with nearly the same words, at most three: other facts, or the same one'),
    })
    .meta({ id: 'Memory' }),
);

/** What `redactMemory` has done. */
const redacted = row((s) =>
  s.z.object({
    records: s.z.int().describe('how many were changed'),
    items: s.z.int().describe('in how many work items'),
    still_open: s.z.array(s.id()).describe('work that has not ended: its records stay until it is redacted again'),
  }),
);
export type Redacted = RowOf<typeof redacted>;
export const forgotten = row((s) =>
  s.z.object({ id: s.id(), redacted: redacted(s).nullable().describe('null: not asked for') }),
);
export type Forgotten = RowOf<typeof forgotten>;

/**
 * Forgets a memory, unless it is gone already, and takes its text out of the records of the work that stored or found it. Operators only; recorded as a
 * decision. Errors: `work.not_found` if there is neither the memory nor a trace of it, `db.forbidden`.
 */
export async function redactMemory(db: Queryable, id: string, reason: string): Promise<Redacted> {
  const [done] = await db.query<Redacted>('select records, items, still_open from animus.redact_memory($1, $2)', [
    id,
    toText(reason),
  ]);
  return done!;
}

/** A memory that is part of another. */
export const memoryMerge = row((s) =>
  s.z
    .object({
      id: s.id().describe('the memory that was merged'),
      into_id: s.id(),
      // `same_text`: it had the same text; `asked`: somebody merged them; `similar`: an earlier animus did, because of their embeddings.
      reason: s.z.enum(['same_text', 'asked', 'similar']),
      actor: s.z.string().nullable(),
      work_item_id: s.id().nullable(),
      merged_at: s.time(),
      layer: s.words(layer),
      project: s.z.string().nullable(),
      kind: s.z.string(),
      content: s.z.string().describe('of the memory that was merged'),
      into_content: s.z.string().describe('what is found instead'),
      submitted_by: s.z.string().nullable(),
    })
    .meta({ id: 'MemoryMerge' }),
);
export type MemoryMerge = RowOf<typeof memoryMerge>;

/** The merges that can be undone, of memories that the actor may see, newest first. `limit`: 1 to 1000. */
export async function listMemoryMerges(db: Queryable, limit: number): Promise<MemoryMerge[]> {
  return db.query<MemoryMerge>(
    `select id, into_id, reason, actor, work_item_id, merged_at, layer, project, kind, content, into_content, submitted_by
       from animus.list_memory_merges($1)`,
    [limit],
  );
}

/** Undoes the merge of a memory, and returns the one that it was part of. Errors: `work.not_found`, `work.state` for one that is not merged or whose merge others were built on, `db.forbidden`. */
export async function unmergeMemory(db: Queryable, id: string): Promise<string> {
  return readValue<string>(db, 'select animus.unmerge_memory($1)', [id]);
}

const layerStats = row((s) =>
  s.z
    .object({
      memories: s.z.int(),
      places: s.z.int().describe('tasks, projects or people that have some'),
      limit: s.z.int().describe('of each of them'),
      merged: s.z.int(),
      embedded: s.z.int(),
      refused: s.z.int(),
      bytes: s.z.number(),
    })
    .meta({ id: 'MemoryStats' }),
);
export const memoryStats = row((s) => {
  const of = layerStats(s);
  return s.z.object({
    layers: s.z.object({ task: of, project: of, global: of }),
    embeddings: s.json().describe('of the current model; null: no daemon has run with one'),
  });
});
export type MemoryStats = RowOf<typeof memoryStats>;

/** What is remembered, in numbers. Reads all memories: 0.1 s at 100,000. Errors: `db.forbidden` for those who do not see all work. */
export async function readMemoryStats(db: Queryable): Promise<MemoryStats> {
  return readValue<MemoryStats>(db, 'select animus.visible_memory_stats()');
}
