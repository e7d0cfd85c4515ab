/** Memories in SQL: places, duplicates, limits, and what becomes of them. */
import { beforeEach, describe, expect, test } from 'vitest';
import { readMemoryStats } from '../../../src/features/memory/store.ts';
import { forgetMemory, type NewMemory, storeMemory, updateMemory } from '../../../src/store/memory/memories.ts';
import { searchMemories } from '../../../src/store/memory/search-memories.ts';
import { appendLedger } from '../../../src/store/transcript/ledger.ts';
import { pruneArchives, pruneWork } from '../../../src/store/work/retention.ts';
import { completeWork } from '../../../src/store/work/work.ts';
import { beginFocus, type FocusedWork } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { emptyQueue } from '../work/queue-driver.ts';

const target = testDatabase();
beforeEach(async () => {
  await emptyQueue(target.database);
  await target.database.query(`truncate animus.memories, animus.memory_counts cascade`);
  await target.database.query(`delete from animus.settings where key = 'memory_limits'`);
});

const store = (content: string, work: FocusedWork, more: Partial<NewMemory> = {}) =>
  storeMemory(target.database, { content, ...more }, { ...work.key, callId: 'c1' });
const rowOf = async (id: string) =>
  (await target.database.query('select * from animus.memories where id = $1', [id]))[0]!;
const sourcesOf = (id: string) =>
  target.database.query('select * from animus.memory_sources where memory_id = $1 order by id', [id]);
const find = async (text: string, work: FocusedWork | null) => {
  const found = await searchMemories(target.database, {
    viewer: work && { workItemId: work.id },
    text,
    embedding: null,
    limit: 10,
  });
  return found.memories.map(({ content }) => content);
};

describe('a stored memory', () => {
  test('says whose it is and where it came from: item, faculty, focus, call and ledger entry', async () => {
    const work = await beginFocus(target.database);
    await appendLedger(target.database, work.id, 'finding', 'one', work.key);
    await appendLedger(target.database, work.id, 'finding', 'two', work.key);
    const { id } = await store('Staging has no cache', work, {
      ledgerEntry: 1,
      tags: [' Staging ', 'staging', 'cache'],
    });
    expect(await rowOf(id)).toMatchObject({ layer: 'global', kind: 'fact', tags: ['cache', 'staging'] });
    expect(await sourcesOf(id)).toMatchObject([
      {
        action: 'stored',
        work_item_id: work.id,
        faculty: work.faculty,
        focus_id: work.key.focusId,
        call_id: 'c1',
        ledger_seq: 1,
      },
    ]);
    const newest = await store('Staging has a queue', work);
    expect(await sourcesOf(newest.id)).toMatchObject([{ ledger_seq: 2 }]);
    await expect(store('Staging', work, { ledgerEntry: 3 })).rejects.toMatchObject({ code: 'work.invalid' });
  });

  test('with the same text in the same place is one memory with both sources; in another place it is another', async () => {
    const [first, second] = [await beginFocus(target.database), await beginFocus(target.database)];
    const one = await store('Deploys go to staging first', first, { tags: ['a'], metadata: { x: 1 } });
    const two = await store('Deploys  go to\nstaging first ', second, {
      tags: ['b'],
      kind: 'procedure',
      metadata: { y: 2 },
    });
    expect(two).toEqual({ id: one.id, merged: true });
    expect(await rowOf(one.id)).toMatchObject({ kind: 'procedure', tags: ['a', 'b'], metadata: { x: 1, y: 2 } });
    expect((await sourcesOf(one.id)).map((source) => source['work_item_id'])).toEqual([first.id, second.id]);
    for (const place of [{ layer: 'task' }, { layer: 'project', project: 'p' }, { everybody: true }] as const)
      expect(await store('Deploys go to staging first', first, place)).toMatchObject({ merged: false });
  });

  test('never has more metadata than one call may give it, so that it can be changed', async () => {
    const [db, work] = [target.database, await beginFocus(target.database)];
    const large = (key: string) => ({ [key]: 'x'.repeat(5000) });
    const { id } = await store('again', work, { metadata: large('a') });
    await store('again', work, { metadata: large('b') });
    expect((await rowOf(id))['metadata']).toEqual(large('b'));
    await store('once more', work, { metadata: large('c') });
    await updateMemory(db, id, { content: 'once more' }, work.key);
    expect((await rowOf(id))['metadata']).toEqual(large('b'));
    await updateMemory(db, id, { content: 'changed' }, work.key);
    expect(await rowOf(id)).toMatchObject({ content: 'changed' });
  });

  test('keeps its first and its newest 50 sources', async () => {
    const work = await beginFocus(target.database);
    for (let n = 0; n < 60; n++) await store('again', work);
    const [{ id }] = (await target.database.query<{ id: string }>('select id from animus.memories')) as [
      { id: string },
    ];
    const sources = await sourcesOf(id);
    expect(sources).toHaveLength(51);
  });
});

test('the memories of a task are found in its tree alone and go with it, the others stay', async () => {
  const db = target.database;
  const [work, other] = [await beginFocus(db), await beginFocus(db)];
  await store('the key is under the mat', work, { layer: 'task' });
  await store('keys are cut in town', work);
  expect(await find('key', work)).toHaveLength(2);
  expect(await find('key', other)).toEqual(['keys are cut in town']);
  await completeWork(db, work, {}, null);
  expect(await find('key', null)).toHaveLength(2);
  expect(await pruneWork(db, 0, 10, null)).toMatchObject({ deleted: 1 });
  expect(await find('key', null)).toEqual(['keys are cut in town']);
  expect((await readMemoryStats(db)).layers).toMatchObject({
    task: { memories: 0, places: 0 },
    global: { memories: 1 },
  });
});

test('an update keeps the earlier text with the sources; forgetting deletes all of it', async () => {
  const db = target.database;
  const work = await beginFocus(db);
  const { id } = await store('The port is 5432', work);
  expect(await updateMemory(db, id, { content: 'The port is 5433', tags: ['net'] }, work.key)).toEqual({
    id,
    mergedIds: [],
  });
  expect(await rowOf(id)).toMatchObject({ content: 'The port is 5433', tags: ['net'], kind: 'fact' });
  expect(await sourcesOf(id)).toMatchObject([
    { action: 'stored' },
    { action: 'updated', replaced: 'The port is 5432' },
  ]);
  expect(await find('5432', work)).toEqual([]);
  const same = await store('The port is 5434', work);
  await updateMemory(db, id, { content: 'The port is 5434' }, work.key);
  expect(await rowOf(same.id)).toMatchObject({ merged_into: id });
  expect(await find('port', work)).toEqual(['The port is 5434']);
  // An id that was merged leads to the memory that it was merged into.
  expect(await forgetMemory(db, same.id, '', work.key)).toBe(id);
  expect(await db.query('select from animus.memories')).toEqual([]);
  expect(await db.query('select from animus.memory_sources')).toEqual([]);
});

test('a place that is full takes no more, until something is forgotten or an operator raises the limit', async () => {
  const db = target.database;
  const work = await beginFocus(db);
  await db.query(`select animus.set_memory_limit('task', 2)`);
  const first = await store('one', work, { layer: 'task' });
  await store('two', work, { layer: 'task' });
  await expect(store('three', work, { layer: 'task' })).rejects.toThrow(
    'the task has 2 memories, the most that layer task may have',
  );
  expect(await store('two', work, { layer: 'task' })).toMatchObject({ merged: true });
  await forgetMemory(db, first.id, '', work.key);
  await store('three', work, { layer: 'task' });
  await db.query(`select animus.set_memory_limit('task', 3)`);
  await store('four', work, { layer: 'task' });
});

test('retention deletes what was merged long ago, and not what it was merged into', async () => {
  const db = target.database;
  const work = await beginFocus(db);
  const [kept, gone] = [await store('kept', work), await store('gone', work)];
  await updateMemory(db, kept.id, { content: 'gone' }, work.key);
  expect(await pruneArchives(db, 30, 100)).toBe(0);
  expect(await rowOf(gone.id)).toMatchObject({ merged_into: kept.id });
  await db.query(`update animus.memories set updated_at = updated_at - interval '40 days'`);
  expect(await pruneArchives(db, 30, 100)).toBe(1);
  expect(await db.query('select id from animus.memories')).toEqual([{ id: kept.id }]);
  expect(await sourcesOf(kept.id)).toMatchObject([
    {},
    {},
    { action: 'merged', replaced: 'gone' },
    { action: 'updated', replaced: 'kept' },
  ]);
});
