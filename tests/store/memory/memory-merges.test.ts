/** Promise: only what somebody says is the same becomes one memory; it is told, listed, and undone without a trace. */
import { beforeEach, expect, test } from 'vitest';
import { listMemoryMerges, readMemoryStats, unmergeMemory } from '../../../src/features/memory/store.ts';
import { forgetMemory, storeMemory, updateMemory } from '../../../src/store/memory/memories.ts';
import { searchMemories } from '../../../src/store/memory/search-memories.ts';
import { pruneArchives } from '../../../src/store/work/retention.ts';
import { shownMemories } from '../../../src/tools/memory/show-memories.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { codeOf } from '../work/queue-driver.ts';

const target = testDatabase();
beforeEach(() => target.database.query('truncate animus.memories, animus.memory_counts cascade'));

const find = async () =>
  (await searchMemories(target.database, { viewer: null, text: '', embedding: null, limit: 50 })).memories;
/** All that a merge changes, apart from times and what only the history knows. */
const state = async () =>
  target.database.query(
    `select m.id, m.content, m.tags, m.metadata, m.uses, m.created_at,
            (select array_agg(s.id order by s.id) from animus.memory_sources s where s.memory_id = m.id and s.action in ('stored', 'updated')) as sources,
            (select array_agg(g.id order by g.id) from animus.memories g where g.merged_into = m.id) as merged, (select sum(memories) from animus.memory_counts) as count
       from animus.memories m where m.merged_into is null order by m.id`,
  );

test('a merge that was asked for is listed, and undone as if it had not been', async () => {
  const db = target.database;
  const work = await beginFocus(db);
  const parts = { tags: ['build', 'ours'], metadata: { a: 1, b: 1 } };
  const gone = await storeMemory(db, { content: 'Builds take long', ...parts }, work.key);
  const into = await storeMemory(db, { content: 'A build takes long', tags: ['build'], metadata: { b: 2 } }, work.key);
  const before = await state();
  expect(await updateMemory(db, into.id, { merge: gone.id }, work.key)).toEqual({ id: into.id, mergedIds: [gone.id] });
  expect(await find()).toMatchObject([{ id: into.id, tags: ['build', 'ours'], metadata: { a: 1, b: 2 }, sources: 3 }]);
  expect(await listMemoryMerges(db, 10)).toMatchObject([
    {
      id: gone.id,
      into_id: into.id,
      reason: 'asked',
      work_item_id: work.id,
      content: 'Builds take long',
      into_content: 'A build takes long',
    },
  ]);
  expect(await unmergeMemory(db, gone.id)).toBe(into.id);
  expect(await state()).toEqual(before);
  expect(await listMemoryMerges(db, 10)).toEqual([]);
  expect((await readMemoryStats(db)).layers.global).toMatchObject({ memories: 2, merged: 0 });
  // What a person kept apart is shown together.
  expect((await find()).map(({ alike }) => alike.length)).toEqual([1, 1]);
  expect(await codeOf(unmergeMemory(db, gone.id))).toBe('work.state');
});

test('merges of merges are undone in the order in which they were built on each other', async () => {
  const db = target.database;
  const ids: string[] = [];
  for (const content of ['one', 'two', 'three']) ids.push((await storeMemory(db, { content }, null)).id);
  const before = await state();
  await updateMemory(db, ids[1]!, { merge: ids[0]! }, null);
  await updateMemory(db, ids[2]!, { merge: ids[1]! }, null);
  await expect(unmergeMemory(db, ids[0]!)).rejects.toThrow(
    `${ids[1]}, into which it was merged, was merged into ${ids[2]} later`,
  );
  await unmergeMemory(db, ids[1]!);
  await unmergeMemory(db, ids[0]!);
  expect(await state()).toEqual(before);
});

test('two merges into one memory are undone in any order', async () => {
  const db = target.database;
  const parts = [
    { content: 'one', tags: ['x'], metadata: { k: 1, a: 1 } },
    { content: 'two', tags: ['x', 'y'], metadata: { k: 2, b: 2 } },
    { content: 'three', tags: ['y', 'z'], metadata: { k: 3, b: 3 } },
    { content: 'into', tags: ['z'], metadata: { c: 4 } },
  ];
  const ids: string[] = [];
  for (const part of parts) ids.push((await storeMemory(db, part, null)).id);
  const into = ids.pop()!;
  const orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]; // biome-ignore format: a list
  const one = async () =>
    (await db.query('select tags, metadata, created_at from animus.memories where id = $1', [into]))[0];
  for (const [day, id] of [...ids, into].entries())
    await db.query('update animus.memories set created_at = $2 where id = $1', [
      id,
      new Date(Date.UTC(2026, 0, day + 1)),
    ]);
  const before = await state();
  for (const order of orders) {
    for (const id of ids) await updateMemory(db, into, { merge: id }, null);
    for (const [undone, at] of order.entries()) {
      await unmergeMemory(db, ids[at]!);
      const left = order.slice(undone + 1).toSorted();
      const shown = await one();
      // As if the others had been merged alone.
      for (const other of order.slice(undone + 1)) await unmergeMemory(db, ids[other]!);
      expect(await state()).toEqual(before);
      for (const other of left) await updateMemory(db, into, { merge: ids[other]! }, null);
      expect(shown, `${order.join()} to ${undone}`).toEqual(await one());
    }
    expect(await state()).toEqual(before);
  }
});

test('daemons of an earlier version call what they know', async () => {
  const db = target.database;
  const { id } = await storeMemory(db, { content: 'old words' }, null);
  const values = [id, 'new words', ...Array.from({ length: 8 }, () => null)];
  const call = 'select animus.update_memory($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as id';
  expect(await db.query(call, values)).toEqual([{ id }]);
  expect(await find()).toMatchObject([{ content: 'new words' }]);
});

test('an update to the text of another memory says so, and the merge is not undone while both have one text', async () => {
  const db = target.database;
  const [kept, gone] = [
    await storeMemory(db, { content: 'kept' }, null),
    await storeMemory(db, { content: 'gone' }, null),
  ];
  expect(await updateMemory(db, kept.id, { content: 'gone' }, null)).toEqual({ id: kept.id, mergedIds: [gone.id] });
  expect(await codeOf(unmergeMemory(db, gone.id))).toBe('work.state');
  await updateMemory(db, kept.id, { content: 'kept after all' }, null);
  await unmergeMemory(db, gone.id);
  expect((await find()).map(({ content }) => content).sort()).toEqual(['gone', 'kept after all']);
});

test('memories of different places are not merged, nor one with itself, nor one that is gone', async () => {
  const db = target.database;
  const one = await storeMemory(db, { content: 'one' }, null);
  const other = await storeMemory(db, { content: 'other', layer: 'project', project: 'p' }, null);
  expect(await codeOf(updateMemory(db, one.id, { merge: other.id }, null))).toBe('work.invalid');
  expect(await codeOf(updateMemory(db, one.id, { merge: one.id }, null))).toBe('work.invalid');
  await forgetMemory(db, other.id, '', null);
  expect(await codeOf(updateMemory(db, one.id, { merge: other.id }, null))).toBe('work.not_found');
});

test('what an earlier animus merged by likeness stays until a person has looked, and comes from the work that stored it', async () => {
  const db = target.database;
  const work = await beginFocus(db);
  const [into, gone] = [
    await storeMemory(db, { content: 'must not' }, work.key),
    await storeMemory(db, { content: 'must' }, work.key),
  ];
  await db.query(`select animus.merge_memory($1, $2, animus.now(), 'similar')`, [into.id, gone.id]);
  const [found] = await find();
  expect(found).toMatchObject({ source_item: work.id, sources: 3 });
  expect(shownMemories([found!], 'how')).not.toContain('a person');
  await db.query(`update animus.memories set updated_at = updated_at - interval '400 days'`);
  expect(await pruneArchives(db, 30, 100)).toBe(0);
  await unmergeMemory(db, gone.id);
  expect((await find()).map(({ content }) => content).sort()).toEqual(['must', 'must not']);
});
