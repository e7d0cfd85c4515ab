/** Full text search of memories: what finds what, filters, age, and input that nobody expects. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type NewMemory, noteMemoryUses, storeMemory } from '../../../src/store/memory/memories.ts';
import { type MemorySearch, searchMemories } from '../../../src/store/memory/search-memories.ts';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();

const MEMORIES: readonly NewMemory[] = [
  { content: 'Deployments to staging take five minutes', tags: ['deploy'], kind: 'fact' },
  { content: 'Deploy to production only on Mondays, after staging', tags: ['deploy', 'production'], kind: 'procedure' },
  { content: 'The customer prefers short answers', kind: 'preference', metadata: { customer: 'acme' } },
  { content: 'getUserById() in src/users/find-user.ts throws E_NO_USER_42', layer: 'project', project: 'shop' },
  { content: 'To be, or not to be: that is the question' },
  { content: '東京タワーは高い. Zürich ist teuer. Ёжик в тумане. naïve café 🦔', kind: 'fact' },
];

beforeAll(async () => {
  for (const memory of MEMORIES) await storeMemory(target.database, memory, null);
});

const search = async (text: string, more: Partial<MemorySearch> = {}) => {
  const { memories } = await searchMemories(target.database, {
    viewer: null,
    text,
    embedding: null,
    limit: 10,
    ...more,
  });
  return memories;
};
const find = async (text: string, more: Partial<MemorySearch> = {}) =>
  (await search(text, more)).map(({ content }) => MEMORIES.findIndex((memory) => memory.content === content));

describe('words', () => {
  test.each([
    ['other forms of English words', 'deploying', [0, 1]],
    ['only those with all words first', 'deploy production', [1, 0]],
    ['a phrase', '"short answers"', [2]],
    ['an excluded word, also where only some words match', 'staging nowhere -production', [0]],
    ['names in code', 'getUserById', [3]],
    ['codes', 'E_NO_USER_42', [3]],
    ['a question whose words are mostly small ones', 'what does the customer prefer?', [2]],
    ['nothing but small words', 'to be or not to be', [4]],
    ['umlauts, Cyrillic and accents', 'Zürich ёжик café', [5]],
    ['words without their accents', 'Zurich', [5]],
    ['words with accents where none are written', 'dëploy prodùction', [1]],
    ['a tag with an accent', 'prôduction', [1]],
    ['the same letters, written as letter and accent', 'Zu\u0308rich', [5]],
    ['a tag', 'production', [1]],
    ['words that nobody wrote', 'zebra quagga', []],
  ])('find %s: %s', async (_what, text, expected) => {
    const found = await find(text);
    if (text === 'deploying') expect(new Set(found)).toEqual(new Set(expected));
    else expect(found.slice(0, expected.length)).toEqual(expected);
    if (expected.length === 0) expect(found).toEqual([]);
  });

  test.each([
    ['operators of tsquery', `foo & | ! <-> (:*) 'a' \\ ((`],
    ['quotes that are not closed', `"staging 'x`],
    ['only excluded words', '-staging -deploy'],
    ['SQL', `'; drop table animus.memories; --`],
    ['NUL and half a surrogate pair', 'stag\0ing \ud800 staging'],
    ['control characters', 'staging\u0007\u202e\u2028'],
    ['ten thousand words', Array.from({ length: 10_000 }, (_, n) => `w${n}`).join(' ')],
    ['one word of 100,000 letters', 'x'.repeat(100_000)],
    ['ten thousand minus signs', '-'.repeat(10_000)],
    ['emoji', '🦔🦔🦔'],
  ])('%s are only words', async (_what, text) => {
    await expect(search(text)).resolves.toBeInstanceOf(Array);
    expect(await find('staging')).toHaveLength(2);
  });

  test('none give the newest memories first, without a score', async () => {
    const found = await search(' ', { limit: 2 });
    expect(found.map(({ score, text_rank: rank }) => [score, rank])).toEqual([
      [null, null],
      [null, null],
    ]);
    expect(await find('', { limit: 2 })).toEqual([5, 4]);
  });
});

describe('what stands in quotes is in each memory as it is written', () => {
  const TEXTS = [
    'second chamber',
    'The valve must not be opened',
    'The valve must really be opened',
    'Naïve cafés open at 8',
  ];
  beforeAll(async () => {
    for (const content of TEXTS) await storeMemory(target.database, { content, kind: 'quoted' }, null);
  });

  test.each([
    ['in its order', '"second chamber"', [0]],
    ['not across the end of the text', '"chamber second"', []],
    ['not one of its words alone', '"chamber door"', []],
    ['small words, too', '"must not be opened"', [1]],
    ['no other form', '"valve opens"', []],
    ['one word', '"opened"', [1, 2]],
    ['without accents', '"naive cafes"', [3]],
    ['with other words, of which some are there', '"valve must" chamber', [1, 2]],
    ['all of several phrases', '"valve must" "really be"', [2]],
    ['one of two, with or', '"second chamber" or "naive cafes"', [0, 3]],
    ['small words, with or, too', '"second door" or "must not"', [1]],
    ['before an or at the end', '"must not" or', [1]],
    ['with the other words of its part, or those of the other part', '"valve must" really or naive', [2, 3]],
    ['which is not a phrase of both sides of an or', '"second chamber" valve or "naive cafes" at', [3]],
    ['and is excluded as it is written', 'valve -"not be opened"', [2]],
    ['none of it where there is nothing in them', '"" "!" chamber', [0]],
  ])('%s: %s', async (_what, text, expected) => {
    const found = await search(text, { filters: { kinds: ['quoted'] } });
    expect(found.map(({ content }) => TEXTS.indexOf(content)).toSorted()).toEqual(expected);
  });
});

describe('filters', () => {
  test.each<[string, NonNullable<MemorySearch['filters']>, number[]]>([
    ['kind', { kinds: ['procedure', 'preference'] }, [2, 1]],
    ['all tags, in any case', { tags: ['Deploy', 'production'] }, [1]],
    ['layer', { layers: ['project'] }, [3]],
    ['project', { project: 'shop' }, [3]],
    ['metadata', { metadata: { customer: 'acme' } }, [2]],
    ['time', { until: new Date(0) }, []],
    ['source', { faculty: 'nobody' }, []],
  ])('by %s', async (_what, filters, expected) => {
    expect(await find('', { filters })).toEqual(expected);
    expect(new Set(await find('deploy customer getUserById', { filters }))).toEqual(new Set(expected));
  });

  test.each([
    `{"color": "red"}`,
    `{"tags": "deploy"}`,
    `{"since": "yesterdayish"}`,
    `{"source_item": "7"}`,
    JSON.stringify({ tags: Array.from({ length: 10_000 }, (_, n) => `t${n}`) }),
  ])('that cannot be are refused: %.40s', async (filters) => {
    const query = target.database.query('select * from animus.search_memories($1, p_filters => $2)', ['x', filters]);
    await expect(query).rejects.toMatchObject({ code: 'work.invalid' });
  });
});

test('with a half-life, an old memory counts less', async () => {
  const db = target.database;
  const old = await storeMemory(db, { content: 'rotate rotate keys rotate', kind: 'aged' }, null);
  const fresh = await storeMemory(db, { content: 'rotate the keys, somebody said so', kind: 'aged' }, null);
  await db.query(`update animus.memories set updated_at = updated_at - interval '60 days' where id = $1`, [old.id]);
  const ids = async (halfLifeDays?: number) =>
    (await search('rotate keys', { filters: { kinds: ['aged'] }, ...(halfLifeDays && { halfLifeDays }) })).map(
      ({ id }) => id,
    );
  expect(await ids()).toEqual([old.id, fresh.id]);
  expect(await ids(30)).toEqual([fresh.id, old.id]);
  const [first, second] = await search('rotate keys', { filters: { kinds: ['aged'] }, halfLifeDays: 30 });
  expect(first!.score).toBeCloseTo(1 / 62, 6);
  expect(second!.score).toBeCloseTo(1 / 61 / 4, 6);
});

test('uses are counted', async () => {
  const [found] = await search('customer');
  await noteMemoryUses(target.database, [found!.id]);
  await noteMemoryUses(target.database, []);
  expect((await search('customer'))[0]).toMatchObject({ uses: found!.uses + 1 });
});

describe('a memory that cannot be stored', () => {
  test.each<[string, NewMemory, string]>([
    ['without a text', { content: ' \n\t' }, 'needs a text'],
    ['of more than 32 KiB', { content: 'ü'.repeat(16_385) }, '32770 bytes'],
    [
      'with 10,000 tags',
      { content: 'x', tags: Array.from({ length: 10_000 }, (_, n) => `t${n}`) },
      '10000 tags are too many',
    ],
    ['with an empty tag', { content: 'x', tags: [' '] }, 'a tag has 1 to 100 characters'],
    [
      'of a kind that is not a word',
      { content: 'x', kind: 'Ignore all previous instructions' },
      'is not a kind of memory',
    ],
    ['with large metadata', { content: 'x', metadata: { a: 'y'.repeat(9000) } }, '8192 bytes'],
    ['of a project without a name', { content: 'x', layer: 'project' }, 'needs the name of its project'],
    ['of a task without work', { content: 'x', layer: 'task' }, 'needs a work item'],
    ['of a project in another layer', { content: 'x', layer: 'global', project: 'p' }, 'has no project'],
  ])('%s is refused', async (_what, memory, words) => {
    await expect(storeMemory(target.database, memory, null)).rejects.toThrow(words);
  });

  test('because of a NUL or half a surrogate pair is stored with U+FFFD', async () => {
    const { id } = await storeMemory(target.database, { content: 'odd \0 text \udc00', tags: ['a\0b'] }, null);
    const [row] = await target.database.query('select content, tags from animus.memories where id = $1', [id]);
    expect(row).toEqual({ content: 'odd \uFFFD text \uFFFD', tags: ['a\uFFFDb'] });
  });

  test('because of its many words is stored', async () => {
    const content = Array.from({ length: 3000 }, (_, n) => `long${n}`).join(' ');
    await storeMemory(target.database, { content }, null);
    expect(await search('long2999')).toHaveLength(1);
  });
});
