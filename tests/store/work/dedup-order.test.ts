/** The promise of docs/sql-api.md: statements that insert keyed work in the order of its keys wait for each other, and never deadlock. */
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();
const PAGE = readFileSync(new URL('../../../docs/sql-api.md', import.meta.url), 'utf8');
const KEYS = Array.from({ length: 100 }, (_, n) => `k${n}`);

const INSERT =
  'insert into animus.own_work (faculty, dedup_key) select $1, k from unnest($2::text[]) k order by k returning state';

/** A connection of an application: our own pool would run again what a deadlock has undone. */
async function application(): Promise<Client> {
  const client = new Client(target.connectionString);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

test('several applications insert the same keys at once, each in an order of its own, and one of them gets each key', async () => {
  const applications = await Promise.all(Array.from({ length: 8 }, () => application()));
  for (let round = 0; round < 10; round++) {
    const all = await Promise.all(
      applications.map(async (client, n) => {
        const keys = [...KEYS.slice(n * 12), ...KEYS.slice(0, n * 12)];
        return client.query<{ state: string }>(INSERT, [`round${round}`, n % 2 === 0 ? keys : keys.toReversed()]);
      }),
    );
    expect(all.flatMap(({ rows }) => rows).filter(({ state }) => state === 'queued')).toHaveLength(KEYS.length);
  }
});

test('each example of the page that inserts many keys sorts them', () => {
  const many = [...PAGE.matchAll(/insert into animus\.\w+ \([^)]*dedup_key[^)]*\)\nselect[^;]*;/g)].map(([sql]) => sql);
  const keyed = many.filter((sql) => !sql.includes('from invoice;'));
  expect(keyed.length).toBeGreaterThan(0);
  expect(keyed.filter((sql) => !sql.endsWith('order by 3;'))).toEqual([]);
});

test('two transactions that take two keys in opposite order: one of them is ended, and merges when it is tried again', async () => {
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const faculty = `crossed_${crypto.randomUUID().slice(0, 8)}`;
  const cross = async (nth: 0 | 1, keys: readonly [string, string]) => {
    const client = await application();
    await client.query('begin');
    await client.query(INSERT, [faculty, [keys[0]]]);
    begun[nth]!.resolve();
    await begun[1 - nth]!.promise;
    await client.query(INSERT, [faculty, [keys[1]]]);
    await client.query('commit');
  };
  const ended = await Promise.allSettled([cross(0, ['a', 'b']), cross(1, ['b', 'a'])]);
  expect(ended.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(ended.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { code: '40P01' },
  });
  expect(await target.database.query(INSERT, [faculty, ['b', 'a']])).toEqual([
    { state: 'merged' },
    { state: 'merged' },
  ]);
});
