/** Memories that stand near each other: duplicates that are merged, and thousands among which the index searches. */
import { beforeEach, expect, test } from 'vitest';
import { mergeSimilarMemories, prepareEmbeddings } from '../../../src/store/memory/embeddings.ts';
import { updateMemory } from '../../../src/store/memory/memories.ts';
import { memoryStats } from '../../../src/store/memory/memory-stats.ts';
import { embeddedDatabase } from '../../support/database.ts';
import { forgetAll, MODEL, type Vector, vectorMemories } from './vector-memories.ts';

const target = embeddedDatabase();
beforeEach(() => forgetAll(target.database));
const { remember, search, contents } = vectorMemories(() => target.database);

test('near duplicates of one place and kind become one: the newest text, with the sources of both', async () => {
  const db = target.database;
  await prepareEmbeddings(db, MODEL);
  const old = await remember('The build takes long', [1, 0.01, 0], { tags: ['build'] });
  const fresh = await remember('The build takes a long time', [1, 0, 0], { tags: ['time'] });
  const different = [
    await remember('The build takes 5 minutes', [1, 0, 0]),
    await remember('The build takes 6 minutes', [1, 0, 0]),
    await remember('The build takes long', [1, 0, 0], { layer: 'project', project: 'p' }),
    await remember('Builds take long', [1, 0, 0], { kind: 'lesson' }),
    await remember('Something else', [0, 1, 0]),
  ];
  expect(await mergeSimilarMemories(db, [old])).toBe(1);
  expect(await mergeSimilarMemories(db, [old, fresh, ...different])).toBe(0);
  const { memories } = await search('build', [1, 0, 0]);
  expect(new Set(memories.map(({ id }) => id))).toEqual(new Set([fresh, ...different]));
  expect(memories.find(({ id }) => id === fresh)).toMatchObject({
    content: 'The build takes a long time',
    tags: ['build', 'time'],
    sources: 3,
  });
  const [merge] = await db.query(
    `select memory_id, replaced from animus.memory_sources where action = 'merged' and merged_id = $1`,
    [old],
  );
  expect(merge).toEqual({ memory_id: fresh, replaced: 'The build takes long' });
  expect((await memoryStats(db)).layers).toMatchObject({ global: { memories: 5, merged: 1, embedded: 5 } });
  // Its id still leads somewhere.
  expect(await updateMemory(db, old, { tags: ['led'] }, null)).toBe(fresh);
});

test('among thousands, the index finds what is near, and filters leave nothing out', async () => {
  const db = target.database;
  await prepareEmbeddings(db, MODEL);
  await db.query(
    `with made as (
       insert into animus.memories (id, kind, content, created_at, updated_at, digest, embedded_as, tags)
       select animus.uuid_v7(), 'fact', 'm' || n, now(), now(), animus.digest_memory('m' || n), (select id from animus.memory_models), case when n % 2 = 0 then '{even}'::text[] else '{odd}' end
         from generate_series(1, 12000) n returning id, substr(content, 2)::int as n)
     insert into animus.memory_embeddings select id, (select id from animus.memory_models), array[cos(n * pi() / 12000), sin(n * pi() / 12000), 0]::real[]::vector from made`,
  );
  const near: Vector = [Math.cos(Math.PI / 2), Math.sin(Math.PI / 2), 0];
  expect(
    (await contents('', near, { limit: 5 })).map((content) => Math.abs(Number(content.slice(1)) - 6000) <= 2),
  ).toEqual([true, true, true, true, true]);
  const odd = await contents('', near, { limit: 10, filters: { tags: ['odd'] } });
  expect(odd.map((content) => Number(content.slice(1)) % 2)).toEqual(Array.from({ length: 10 }, () => 1));
  const [settings] = await db.query(
    `select current_setting('hnsw.ef_search') as ef, current_setting('hnsw.iterative_scan') as scan`,
  );
  expect(settings).toEqual({ ef: '40', scan: 'off' });
});
