/** Promise: the doctor sees a transaction pooler, and says what it means for other clients of the login. */
import { expect, test } from 'vitest';
import { examineListen } from '../../../../src/cli/doctor/database/listen.ts';
import { isPooled } from '../../../../src/store/postgres/health.ts';
import { openPostgres } from '../../../../src/store/postgres/postgres.ts';
import { testDatabase } from '../../../support/database.ts';
import { startTransactionPooler } from '../../../support/transaction-pooler.ts';

const target = testDatabase();

test('a transaction pooler is named, with a login of its own as the cure', async () => {
  const pooler = await startTransactionPooler(target.connectionString);
  const pooled = openPostgres(pooler.url, { poolSize: 1 });
  expect(await examineListen(pooled)).toEqual([
    expect.objectContaining({ check: 'listen', state: 'problem', detail: 'no notification arrived within 5 s' }),
    expect.objectContaining({
      check: 'pooler',
      detail: expect.stringContaining('reaches every client that uses the login postgres through it'),
      remedy: expect.stringContaining('give animus a login that no other application uses'),
    }),
  ]);
  await pooled.close();
});

test('a pooler is told from the server itself', async () => {
  const pooler = await startTransactionPooler(target.connectionString);
  const pooled = openPostgres(pooler.url, { poolSize: 1 });
  expect(await isPooled(pooled)).toBe(true);
  expect(await isPooled(target.database)).toBe(false);
  await pooled.close();
});
