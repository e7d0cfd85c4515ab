/** Promise: what another transaction has undone is run again where nothing of it can have been committed. */
import { expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase({ empty: true });

test('a transaction that a deadlock undid is run again', async () => {
  const database = target.open();
  const [one, two] = [createLatch(), createLatch()];
  let runs = 0;
  const take = (first: number, second: number, mine: Latch, other: Latch) =>
    database.transaction(async (tx) => {
      runs++;
      await tx.query('select pg_advisory_xact_lock($1)', [first]);
      mine.open();
      await other.opened;
      await tx.query('select pg_advisory_xact_lock($1)', [second]);
    });
  await Promise.all([take(1, 2, one, two), take(2, 1, two, one)]);
  expect(runs).toBe(3);
});

test.each([
  ['40P01', /two transactions waited for each other/],
  ['40001', /another transaction changed the same rows/],
])('what is undone with %s at each of eight tries is reported as retryable', async (state, words) => {
  const { database } = target;
  const undone = `do $$ begin raise exception using errcode = '${state}', message = 'undone'; end $$`;
  const before = 'create temp table tried (n int)';
  let runs = 0;
  const failing = database.transaction(async (tx) => {
    runs++;
    await tx.query(before);
    await tx.query(undone);
  });
  await expect(failing).rejects.toMatchObject({ code: 'db.unreachable', retryable: true });
  await expect(failing).rejects.toThrow(words);
  expect(runs).toBe(8);
});

test('a transaction that goes on after it was undone is run again, and is not a bug', async () => {
  let runs = 0;
  const value = await target.database.transaction(async (tx) => {
    runs++;
    const undone = `do $$ begin raise exception using errcode = '40001', message = 'undone'; end $$`;
    if (runs === 1) await tx.query(undone).catch(() => undefined);
    return runs;
  });
  expect(value).toBe(2);
});

test('a text of a person, which may be several statements, is never run twice', async () => {
  const { database } = target;
  await database.query('drop table if exists ran; create table ran (n int)');
  const text = `insert into ran values (1); commit; do $$ begin raise exception using errcode = '40001', message = 'undone'; end $$`;
  await expect(database.query(text)).rejects.toMatchObject({ code: 'db.unreachable' });
  expect(await database.query('select n from ran')).toEqual([{ n: 1 }]);
});

interface Latch {
  readonly opened: Promise<void>;
  open(): void;
}

function createLatch(): Latch {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
