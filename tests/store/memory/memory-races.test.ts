/** Promise: writers of memories at the same time neither lose one, nor store it twice, nor pass a limit, nor deadlock. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isAnimusError } from '../../../src/core/errors/errors.ts';
import {
  linkSimilarMemories,
  prepareEmbeddings,
  storeEmbeddings,
  unembedded,
} from '../../../src/features/memory/embeddings.ts';
import { forgetMemory, noteMemoryUses, storeMemory, updateMemory } from '../../../src/store/memory/memories.ts';
import { sqlState } from '../../../src/store/sql/database-errors.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();
let hasVectors = false;
beforeAll(async () => {
  hasVectors = (await prepareEmbeddings(target.database, { model: 'm', dimensions: 2 })).ready;
});
afterAll(async () => {
  // What is counted is what is there, whatever happened above.
  const wrong = await target.database.query(
    `select c.*, n.memories as there from animus.memory_counts c cross join lateral (
       select count(*)::int as memories from animus.memories m
        where m.merged_into is null and m.layer = c.layer and m.project is not distinct from c.project and m.task is not distinct from c.task
          and m.submitted_by is not distinct from c.submitted_by) n where n.memories <> c.memories`,
  );
  expect(wrong).toEqual([]);
});

test('the same text from twenty foci at once is one memory with twenty sources', async () => {
  const db = target.database;
  const foci = [];
  for (let n = 0; n < 20; n++) foci.push(await beginFocus(db));
  const stored = await Promise.all(foci.map((work) => storeMemory(db, { content: 'said by all' }, work.key)));
  expect(new Set(stored.map(({ id }) => id)).size).toBe(1);
  expect(stored.filter(({ merged }) => !merged)).toHaveLength(1);
  const sources = await db.query('select distinct work_item_id from animus.memory_sources where memory_id = $1', [
    stored[0]!.id,
  ]);
  expect(sources).toHaveLength(20);
});

test('a place takes exactly as many as its limit, from thirty writers at once', async () => {
  const db = target.database;
  await db.query(`select animus.set_memory_limit('project', 10)`);
  const results = await Promise.allSettled(
    Array.from({ length: 30 }, (_, n) =>
      storeMemory(db, { content: `text ${n}`, layer: 'project', project: 'full' }, null),
    ),
  );
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  for (const result of results)
    if (result.status === 'rejected') expect(isAnimusError(result.reason, 'work.invalid')).toBe(true);
});

test('stores, updates, merges, embeddings and deletions at random never deadlock', async () => {
  const db = target.database;
  await db.query(`select animus.set_memory_limit('project', 1000)`);
  let seed = 5;
  const pick = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const ids: string[] = [];
  const anyId = () => ids[pick(Math.max(ids.length, 1))] ?? '00000000-0000-7000-8000-000000000000';
  const place = () => ({ layer: 'project', project: `p${pick(2)}` }) as const;
  const steps = [
    async () => void ids.push((await storeMemory(db, { content: `words ${pick(30)}`, ...place() }, null)).id),
    () => updateMemory(db, anyId(), { content: `words ${pick(30)}` }, null),
    () => forgetMemory(db, anyId(), '', null),
    () => noteMemoryUses(db, [anyId(), anyId(), anyId()]),
    () => mergeInSql(anyId(), anyId()),
    async () => {
      const rows = hasVectors ? await unembedded(db, { model: 'm', dimensions: 2 }, 10) : [];
      await storeEmbeddings(
        db,
        { model: 'm', dimensions: 2 },
        rows.map((row) => ({ ...row, vector: [1, pick(5)] })),
      );
      await linkSimilarMemories(
        db,
        rows.map(({ id }) => id),
      );
    },
  ];
  const mergeInSql = (into: string, gone: string) =>
    db.query(
      `select animus.merge_memory(a.id, b.id, now()) from animus.memories a join animus.memories b on b.id = $2 and b.project = a.project
        cross join lateral (select animus.lock_memory_place(row(a.layer, a.project, a.task, a.submitted_by)::animus.memory_place)) l
        where a.id = $1 and a.merged_into is null`,
      [into, gone],
    );
  const writer = async () => {
    for (let n = 0; n < 60; n++) await steps[pick(hasVectors ? 6 : 5)]!().catch(expected);
  };
  await Promise.all(Array.from({ length: 6 }, writer));
});

/** A memory that another writer deleted, and a lock that was kept too long on a busy machine. */
function expected(error: unknown): void {
  if (!isAnimusError(error, 'work.not_found', 'work.locked') || sqlState(error) === '40P01') throw error;
}
