/** Memories that stand near each other: duplicates that are merged, and thousands among which the index searches. */
import { beforeEach, expect, test } from 'vitest';
import { linkSimilarMemories, prepareEmbeddings } from '../../../src/features/memory/embeddings.ts';
import { readMemoryStats } from '../../../src/features/memory/store.ts';
import { updateMemory } from '../../../src/store/memory/memories.ts';
import { shownMemories } from '../../../src/tools/memory/show-memories.ts';
import { embeddedDatabase } from '../../support/database.ts';
import { forgetAll, MODEL, type Vector, vectorMemories } from './vector-memories.ts';

const target = embeddedDatabase();
beforeEach(() => forgetAll(target.database));
const { remember, search, contents } = vectorMemories(() => target.database);

/** Each pair is nearly one vector, and two facts. */
const OTHER_FACTS = [
  ['The valve must be opened', 'The valve must not be opened'],
  ['Use compound A for the wash', 'Use compound B for the wash'],
  ['The port is 5432', 'The port is 5433'],
  ['alice approves releases of bob', 'bob approves releases of alice'],
  ['Retries are enabled on ERR-7', 'Retries are disabled on ERR-7'],
  ['Das Ventil darf geöffnet werden', 'Das Ventil darf nie geöffnet werden'],
  ['The deploy runs before the backup', 'The deploy runs after the backup'],
  ['The limit is -5 degrees', 'The limit is 5 degrees'],
] as const;

test('however near two texts are, both stay, are found, and each names the other', async () => {
  const db = target.database;
  await prepareEmbeddings(db, MODEL);
  for (const [at, [one, other]] of OTHER_FACTS.entries()) {
    const project = `p${at}`;
    const place = { layer: 'project', project } as const;
    const first = await remember(one, [1, 0, 0], place);
    const second = await remember(other, [1, 0.001, 0], place);
    expect(await linkSimilarMemories(db, [first, second])).toBe(1);
    const { memories } = await search('', [1, 0, 0], { filters: { project } });
    expect(memories.map(({ id, alike }) => [id, alike.map((each) => [each.id, each.content])])).toEqual([
      [first, [[second, other]]],
      [second, [[first, one]]],
    ]);
    // Also where the other one is not among the results.
    const [only] = (await search('', [1, 0, 0], { filters: { project }, limit: 1 })).memories;
    expect(only!.alike).toMatchObject([{ id: second, content: other }]);
    expect(shownMemories([only!], 'how')).toContain(other);
  }
  expect((await readMemoryStats(db)).layers.project).toMatchObject({ memories: 2 * OTHER_FACTS.length, merged: 0 });
});

test('memories are linked within a place, until the text of one changes', async () => {
  const db = target.database;
  await prepareEmbeddings(db, MODEL);
  const one = await remember('The build takes long', [1, 0.01, 0]);
  const other = await remember('Builds take long', [1, 0, 0], { kind: 'lesson' });
  await remember('The build takes long', [1, 0, 0], { layer: 'project', project: 'p' });
  await remember('Something else', [0, 1, 0]);
  expect(await linkSimilarMemories(db, [one])).toBe(1);
  expect(await linkSimilarMemories(db, [other, one])).toBe(0);
  await updateMemory(db, other, { content: 'Builds are quick' }, null);
  expect(await db.query('select from animus.memory_links')).toEqual([]);
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
