/** Promise: an application in a serializable transaction gets right results, or a refusal with words, and animus behind a pooler loses nothing to it. */
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { startTransactionPooler } from '../../support/transaction-pooler.ts';

const target = testDatabase();
let client: Client;
beforeAll(async () => {
  client = new Client({ connectionString: target.connectionString });
  await client.connect();
});
afterAll(() => client.end());

/** In a transaction whose snapshot is older than what `meanwhile` commits. */
async function inOldSnapshot(level: string, meanwhile: () => Promise<unknown>, sql: string, params: unknown[] = []) {
  await client.query(`begin isolation level ${level}`);
  try {
    await client.query('select count(*) from animus.work_items');
    await meanwhile();
    const { rows } = await client.query(sql, params);
    await client.query('commit');
    return rows;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

const submitted = async (columns = '', values = ''): Promise<string> => {
  const [row] = await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty${columns}) values ('f'${values}) returning id`,
  );
  return row!.id;
};

test.each(['repeatable read', 'serializable'])(
  'in %s a cancel that could miss a new child is refused',
  async (level) => {
    const { id, key } = await beginFocus(target.database);
    const addChild = () => submitted(', parent_id', `, '${id}'`);
    const cancel = inOldSnapshot(level, addChild, 'select animus.cancel_work($1)', [id]);
    await expect(cancel).rejects.toMatchObject({
      code: 'WA002',
      message: `a cancel must see what others commit meanwhile, and this transaction is ${level}: begin isolation level read committed`,
    });
    await client.query('select animus.cancel_work($1)', [id]);
    const children = await target.database.query('select state from animus.work_items where parent_id = $1', [id]);
    expect(children).toEqual([{ state: 'cancelled' }]);
    expect(key.workItemId).toBe(id);
  },
);

test('in repeatable read no decision is made that the chain could not contain, and no watch of what has ended', async () => {
  const id = await submitted();
  const pause = inOldSnapshot('repeatable read', async () => {}, `select animus.pause('f')`);
  await expect(pause).rejects.toMatchObject({ code: 'WA002', message: expect.stringMatching(/^a decision must see/) });
  const cancelled = () => target.database.query('select animus.cancel_work($1)', [id]);
  const watch = inOldSnapshot('repeatable read', cancelled, 'select animus.watch_work($1)', [id]);
  await expect(watch).rejects.toMatchObject({ code: 'WA002', message: expect.stringMatching(/^a watch must see/) });
});

test('in serializable work is submitted with and without a key, and a key that was taken meanwhile is a serialization failure', async () => {
  const insert = `insert into animus.work_items (faculty, dedup_key) values ('f', $1) returning state`;
  const nothing = async () => {};
  expect(await inOldSnapshot('serializable', nothing, insert, ['one'])).toEqual([{ state: 'queued' }]);
  expect(await inOldSnapshot('serializable', nothing, insert, ['one'])).toEqual([{ state: 'merged' }]);
  const other = () => submitted(', dedup_key', `, 'two'`);
  await expect(inOldSnapshot('serializable', other, insert, ['two'])).rejects.toMatchObject({ code: '40001' });
  expect(await inOldSnapshot('serializable', nothing, insert, ['two'])).toEqual([{ state: 'merged' }]);
});

test('in repeatable read the same memory is not stored twice', async () => {
  const store = `select merged from animus.store_memory('the sky is blue')`;
  await expect(inOldSnapshot('repeatable read', () => target.database.query(store), store)).rejects.toMatchObject({
    code: '40001',
  });
  expect(await inOldSnapshot('repeatable read', async () => {}, store)).toEqual([{ merged: true }]);
});

test('sessions of animus are read committed, and what a pooler makes serializable is run again until it is done', async () => {
  const database = new URL(target.connectionString).pathname.slice(1);
  await target.database.query(`alter database ${database} set default_transaction_isolation = 'serializable'`);
  const direct = target.open({ poolSize: 1 });
  const level = `select current_setting('transaction_isolation') as level`;
  expect(await direct.query(level)).toEqual([{ level: 'read committed' }]);

  const pooler = await startTransactionPooler(target.connectionString, 4);
  const pooled = openPostgres(pooler.url, { poolSize: 4, prepare: false });
  expect(await pooled.query(level)).toEqual([{ level: 'serializable' }]);
  expect(await pooled.transaction((tx) => tx.query(level))).toEqual([{ level: 'read committed' }]);
  await pooled.query('create table counter as select 0 as n');
  await Promise.all(Array.from({ length: 6 }, (_, n) => pooled.query('update counter set n = n + 1 + $1', [n * 0])));
  expect(await pooled.query('select n from counter')).toEqual([{ n: 6 }]);
  await pooled.close();
});

test('a time that a pooled session writes in another style is refused, not misread', async () => {
  const database = new URL(target.connectionString).pathname.slice(1);
  await target.database.query(`alter database ${database} set DateStyle = 'German'`);
  const pooler = await startTransactionPooler(target.connectionString, 2);
  const pooled = openPostgres(pooler.url, { poolSize: 1, prepare: false });
  await expect(pooled.query(`select '2026-11-29T12:00Z'::timestamptz`)).rejects.toMatchObject({
    code: 'db.refused',
    message: expect.stringMatching(
      /it writes times as "29\.11\.2026 .*; if there is a pooler in between, set for the login/,
    ),
  });
  await pooled.close();
});
