/** Statements of transactions are prepared. If the server loses that (a pooler, `deallocate all`), the transaction runs again as a whole, unprepared. */
import { expect, onTestFinished, test } from 'vitest';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database, Queryable, Statement } from '../../../src/store/sql/database.ts';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();
const OPENING: Statement = { sql: `select set_config('animus.test', $1, true)`, params: ['opened'] };
const INSERT = `insert into written (n, by) values ($1, current_setting('animus.test'))`;
const SELECT = 'select n from written where n = $1';

async function written(): Promise<Database> {
  await target.database.query('drop table if exists written; create table written (n int, by text)');
  const db = openPostgres(target.connectionString, { poolSize: 1 });
  onTestFinished(() => db.close());
  return db;
}

const write = (n: number, between: (tx: Queryable) => Promise<unknown> = async () => null) => {
  let tries = 0;
  return {
    tries: () => tries,
    work: async (tx: Queryable) => {
      tries++;
      await tx.query(INSERT, [n]);
      await between(tx);
      return tx.query(SELECT, [n]);
    },
  };
};
const prepared = async (db: Database) =>
  (await db.query<{ n: number }>(`select count(*)::int as n from pg_prepared_statements`))[0]!.n;
const rows = () => target.database.query('select n, by from written order by n');

test('statements of transactions are prepared once per connection, with the opening and the begin', async () => {
  const db = await written();
  for (const n of [1, 2, 3]) expect(await db.transaction(write(n).work, OPENING)).toEqual([{ n }]);
  expect(await db.queryAfter(OPENING, SELECT, [3])).toEqual([{ n: 3 }]);
  expect(await prepared(db)).toBe(4);
  expect(await rows()).toEqual([1, 2, 3].map((n) => ({ n, by: 'opened' })));
});

test('a preparation that is lost between transactions, or within one, undoes it and runs it again; from then on nothing is prepared', async () => {
  for (const within of [false, true]) {
    const db = await written();
    await db.transaction(write(1).work, OPENING);
    if (!within) await db.query('deallocate all');
    let lost = !within;
    const second = write(2, async (tx) => {
      if (!lost) await tx.query('deallocate all');
      lost = true;
    });
    expect(await db.transaction(second.work, OPENING)).toEqual([{ n: 2 }]);
    expect(second.tries()).toBe(2);
    expect(await db.transaction(write(3).work, OPENING)).toEqual([{ n: 3 }]);
    expect(await db.queryAfter(OPENING, SELECT, [3])).toEqual([{ n: 3 }]);
    expect(await rows()).toEqual([1, 2, 3].map((n) => ({ n, by: 'opened' })));
    expect(await prepared(db)).toBe(0);
  }
});

test('the same where the work hides the error', async () => {
  const db = await written();
  await db.transaction(write(1).work, OPENING);
  await db.query('deallocate all');
  const hiding = async (tx: Queryable) => {
    await tx.query(INSERT, [2]).catch(() => null);
    return tx.query(SELECT, [2]).catch(() => 'hidden');
  };
  expect(await db.transaction(hiding, OPENING)).toEqual([{ n: 2 }]);
  expect(await rows()).toEqual([1, 2].map((n) => ({ n, by: 'opened' })));
});

test('a plan that no longer fits its table is made anew, and later statements are prepared again', async () => {
  const db = await written();
  const all = (tx: Queryable) => tx.query('select * from written where n = $1', [1]);
  await db.transaction(write(1).work, OPENING);
  expect(await db.transaction(all)).toEqual([{ n: 1, by: 'opened' }]);
  await target.database.query(`alter table written add column more int default 7`);
  expect(await db.transaction(all)).toEqual([{ n: 1, by: 'opened', more: 7 }]);
  expect(await db.transaction(all)).toEqual([{ n: 1, by: 'opened', more: 7 }]);
  expect(await prepared(db)).toBeGreaterThan(0);
});
