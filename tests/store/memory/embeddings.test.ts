/** Embeddings of memories: on the embedded database, which has pgvector, and on a server that has none. */
import { beforeEach, describe, expect, test } from 'vitest';
import {
  linkSimilarMemories,
  prepareEmbeddings,
  skipEmbeddings,
  storeEmbeddings,
  unembedded,
} from '../../../src/features/memory/embeddings.ts';
import { readMemoryStats } from '../../../src/features/memory/store.ts';
import { storeMemory, updateMemory } from '../../../src/store/memory/memories.ts';
import { searchMemories } from '../../../src/store/memory/search-memories.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { embeddedDatabase, testDatabase } from '../../support/database.ts';
import { forgetAll, MODEL, type Vector, vectorMemories } from './vector-memories.ts';

describe('with pgvector', () => {
  const target = embeddedDatabase();
  beforeEach(() => forgetAll(target.database));
  const { remember, search, contents } = vectorMemories(() => target.database);

  test('what stands near is found without a common word, and both lists are fused by their ranks', async () => {
    await prepareEmbeddings(target.database, MODEL);
    await remember('cats purr', [1, 0, 0]);
    await remember('kittens meow', [0.9, 0.1, 0]);
    await remember('cats in spreadsheets', [0, 0, 1]);
    await remember('no embedding, cats', null);
    expect(await contents('', [1, 0, 0], { limit: 2 })).toEqual(['cats purr', 'kittens meow']);
    const found = await search('cats', [1, 0, 0]);
    expect(found).toMatchObject({ byVectors: true, vectorProblem: null });
    expect(found.memories.map(({ content }) => content)).toHaveLength(4);
    expect(found.memories[0]).toMatchObject({ content: 'cats purr', vector_rank: 1, similarity: 1 });
    expect(await contents('cats -purr', [1, 0, 0])).not.toContain('cats purr');
    for (const { score, text_rank: textRank, vector_rank: vectorRank } of found.memories)
      expect(score).toBeCloseTo((textRank ? 1 / (60 + textRank) : 0) + (vectorRank ? 1 / (60 + vectorRank) : 0), 10);
    expect(found.memories.find(({ content }) => content === 'no embedding, cats')).toMatchObject({ vector_rank: null });
  });

  test('the same name at another address is another model, and the earlier one again where it was', async () => {
    const db = target.database;
    const at = (host: string) => ({ ...MODEL, place: `openai at https://${host}/v1` });
    await prepareEmbeddings(db, MODEL);
    await remember('one', [1, 0, 0]);
    // From before places were recorded: the vectors are those of the first place that is named.
    await prepareEmbeddings(db, at('a.example'));
    expect(await contents('', [1, 0, 0])).toEqual(['one']);
    await remember('two', [0, 1, 0]);
    await prepareEmbeddings(db, at('b.example'));
    expect(await unembedded(db, MODEL, 10)).toHaveLength(2);
    expect(await contents('', [1, 0, 0])).toEqual([]);
    const found = (await unembedded(db, MODEL, 10)).find(({ content }) => content === 'two');
    await storeEmbeddings(db, MODEL, [{ ...found!, vector: [0, 0, 1] }]);
    expect(await contents('', [1, 0, 0])).toEqual(['two']);
    await prepareEmbeddings(db, at('a.example'));
    expect(await contents('', [1, 0, 0])).toEqual(['one']);
    await prepareEmbeddings(db, at('a.example'));
    expect((await unembedded(db, MODEL, 10)).map(({ content }) => content)).toEqual(['two']);
  });

  test('before a model was prepared, a search is by words and says so', async () => {
    await remember('cats purr', null);
    expect(await search('cats', [1, 0, 0])).toMatchObject({
      byVectors: false,
      vectorProblem: 'no memory has an embedding yet',
      memories: [{ content: 'cats purr' }],
    });
  });

  test('preparing twice changes nothing; another model becomes the current one, and its vectors replace the others one by one', async () => {
    const db = target.database;
    expect(await prepareEmbeddings(db, MODEL)).toEqual({ ready: true, reason: null });
    await remember('one', [1, 0, 0]);
    await prepareEmbeddings(db, MODEL);
    expect(await contents('', [1, 0, 0])).toEqual(['one']);
    const other = { model: 'test/large', dimensions: 2 };
    await prepareEmbeddings(db, other);
    expect(await unembedded(db, MODEL, 10)).toEqual([]);
    expect(await search('one', [1, 0, 0])).toMatchObject({
      byVectors: false,
      memories: [{ content: 'one' }],
      vectorProblem: 'memories have embeddings of test/large with 2 dimensions, not of test/small with 3',
    });
    const [row] = await unembedded(db, other, 10);
    await storeEmbeddings(db, other, [{ ...row!, vector: [0, 1] }]);
    const found = await searchMemories(db, {
      viewer: null,
      text: '',
      embedding: { model: other.model, vector: [0, 2] },
      limit: 5,
    });
    expect(found).toMatchObject({ byVectors: true, memories: [{ content: 'one', similarity: 1 }] });
    // The same name with another dimension is another model.
    await prepareEmbeddings(db, { ...other, dimensions: 3 });
    expect(await unembedded(db, { ...other, dimensions: 3 }, 10)).toHaveLength(1);
  });

  test.each([
    [1, 'vector'],
    [2000, 'vector'],
    [2001, 'halfvec'],
    [4000, 'halfvec'],
    [4001, null],
  ])('an embedding of %i dimensions is searched by an index of %s', async (dimensions, type) => {
    const db = target.database;
    const model = { model: 'test/wide', dimensions };
    expect(await prepareEmbeddings(db, model)).toEqual({ ready: true, reason: null });
    const indexes = await db.query<{ text: string }>(
      `select indexdef as text from pg_indexes where indexname like 'memory_embeddings_model_%'`,
    );
    expect(indexes.map(({ text }) => /::[\w.]*?(vector|halfvec)\(/.exec(text)?.[1] ?? null)).toEqual(
      type ? [type] : [],
    );
    const { id } = await storeMemory(db, { content: 'wide' }, null);
    const vector = Array.from({ length: dimensions }, () => 0.5);
    const [row] = await unembedded(db, model, 10);
    await storeEmbeddings(db, model, [{ ...row!, vector }]);
    const found = await searchMemories(db, {
      viewer: null,
      text: '',
      embedding: { model: model.model, vector },
      limit: 5,
    });
    expect(found.memories).toMatchObject([{ id }]);
  });

  test('a vector of another dimension, or of what is not a number, is refused', async () => {
    const db = target.database;
    await prepareEmbeddings(db, MODEL);
    await remember('one', null);
    const [row] = await unembedded(db, MODEL, 1);
    for (const vector of [[1, 2], [1, 2, 3, 4], [1, Number.NaN, 2], [0, 0, 0], []])
      await expect(storeEmbeddings(db, MODEL, [{ ...row!, vector }])).rejects.toMatchObject({ code: 'work.invalid' });
    await expect(
      storeEmbeddings(db, { ...MODEL, model: 'none' }, [{ ...row!, vector: [1, 2, 3] }]),
    ).rejects.toMatchObject({ code: 'work.not_found' });
    for (const vector of [
      [0, 0, 0],
      [1, Number.NaN, 2],
      [1, Number.POSITIVE_INFINITY, 0],
    ] as const)
      await expect(search('one', vector)).rejects.toMatchObject({ code: 'work.invalid' });
    expect(await search('one', [1, 2] as unknown as Vector)).toMatchObject({
      byVectors: false,
      memories: [{ content: 'one' }],
    });
    for (const dimensions of [0, 16_001])
      await expect(prepareEmbeddings(db, { ...MODEL, dimensions })).rejects.toMatchObject({ code: 'work.invalid' });
  });

  test('of a text that was changed meanwhile, the embedding is not stored; of a changed text, it is deleted', async () => {
    const db = target.database;
    await prepareEmbeddings(db, MODEL);
    const id = await remember('before', null);
    const [stale] = await unembedded(db, MODEL, 1);
    await updateMemory(db, id, { content: 'after' }, null);
    expect(await storeEmbeddings(db, MODEL, [{ ...stale!, vector: [1, 0, 0] }])).toBe(0);
    const [row] = await unembedded(db, MODEL, 1);
    expect(row).toMatchObject({ id, content: 'after' });
    await storeEmbeddings(db, MODEL, [{ ...row!, vector: [1, 0, 0] }]);
    await updateMemory(db, id, { tags: ['same text'] }, null);
    expect(await unembedded(db, MODEL, 1)).toEqual([]);
    await updateMemory(db, id, { content: 'later' }, null);
    expect(await contents('', [1, 0, 0])).toEqual([]);
    expect(await unembedded(db, MODEL, 1)).toMatchObject([{ id, content: 'later' }]);
  });

  test('a text that the model refuses is not asked for again until it changes', async () => {
    const db = target.database;
    await prepareEmbeddings(db, MODEL);
    const id = await remember('too odd', null);
    const [row] = await unembedded(db, MODEL, 1);
    expect(await skipEmbeddings(db, MODEL, [row!], 'input rejected')).toBe(1);
    expect(await unembedded(db, MODEL, 1)).toEqual([]);
    expect((await readMemoryStats(db)).layers.global).toMatchObject({ memories: 1, refused: 1, embedded: 0 });
    expect(await contents('odd', [1, 0, 0])).toEqual(['too odd']);
    await updateMemory(db, id, { content: 'less odd' }, null);
    expect(await unembedded(db, MODEL, 1)).toHaveLength(1);
  });

  test('the memory of a task goes with its vectors', async () => {
    const db = target.database;
    await prepareEmbeddings(db, MODEL);
    const work = await beginFocus(db);
    const { id } = await storeMemory(db, { content: 'for now', layer: 'task' }, work.key);
    const [row] = await unembedded(db, MODEL, 1);
    await storeEmbeddings(db, MODEL, [{ ...row!, vector: [1, 0, 0] }]);
    const found = await searchMemories(db, {
      viewer: { workItemId: work.id },
      text: '',
      embedding: { model: MODEL.model, vector: [1, 0, 0] },
      limit: 1,
    });
    expect(found.memories).toMatchObject([{ id, vector_rank: 1 }]);
    await db.query('delete from animus.memories where id = $1', [id]);
    expect(await db.query('select from animus.memory_embeddings')).toEqual([]);
  });
});

describe('without pgvector', () => {
  const target = testDatabase();

  test('preparing says why it cannot be, and a search is by words and says so', async () => {
    const db = target.database;
    const reason = 'the server does not have the extension pgvector';
    const [offered] = await db.query(`select from pg_available_extensions where name = 'vector'`);
    if (offered) return; // A server of one's own: ANIMUS_TEST_DATABASE_URL.
    expect(await prepareEmbeddings(db, MODEL)).toEqual({ ready: false, reason });
    await storeMemory(db, { content: 'words are enough' }, null);
    expect(await unembedded(db, MODEL, 10)).toEqual([]);
    expect(await linkSimilarMemories(db, [])).toBe(0);
    const found = await searchMemories(db, {
      viewer: null,
      text: 'words',
      embedding: { model: 'm', vector: [1] },
      limit: 5,
    });
    expect(found).toMatchObject({
      byVectors: false,
      vectorProblem: 'pgvector is not installed in this database',
      memories: [{ content: 'words are enough' }],
    });
  });
});
