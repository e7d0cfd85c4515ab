/** Memories with vectors of three dimensions, on a database with pgvector. */
import { expect } from 'vitest';
import { storeEmbeddings, unembedded } from '../../../src/features/memory/embeddings.ts';
import { type NewMemory, storeMemory } from '../../../src/store/memory/memories.ts';
import { type MemorySearch, searchMemories } from '../../../src/store/memory/search-memories.ts';
import type { Database } from '../../../src/store/sql/database.ts';

export const MODEL = { model: 'test/small', dimensions: 3 };
export type Vector = readonly [number, number, number];

/** Deletes all memories, models and embeddings. */
export async function forgetAll(db: Database): Promise<void> {
  await db.query('truncate animus.memories, animus.memory_counts cascade');
  await db.query('drop table if exists animus.memory_embeddings');
  await db.query('truncate animus.memory_models cascade');
}

/** Stores and finds memories as the actor; MODEL has to be prepared for those with a vector. */
export function vectorMemories(database: () => Database) {
  const remember = async (content: string, vector: Vector | null, more: Partial<NewMemory> = {}) => {
    const db = database();
    const { id } = await storeMemory(db, { content, ...more }, null);
    if (vector) {
      const row = (await unembedded(db, MODEL, 1000)).find((each) => each.id === id)!;
      expect(await storeEmbeddings(db, MODEL, [{ ...row, vector }])).toBe(1);
    }
    return id;
  };
  const search = (text: string, vector: Vector | null, more: Partial<MemorySearch> = {}) =>
    searchMemories(database(), {
      viewer: null,
      text,
      embedding: vector && { model: MODEL.model, vector },
      limit: 10,
      ...more,
    });
  const contents = async (...given: Parameters<typeof search>) =>
    (await search(...given)).memories.map(({ content }) => content);
  return { remember, search, contents };
}
