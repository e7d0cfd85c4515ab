import { expect, test } from 'vitest';
import { notificationMs } from '../../../src/store/postgres/health.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import { testDatabase } from '../../support/database.ts';
import { startTransactionPooler } from '../../support/transaction-pooler.ts';

const target = testDatabase();

test('through a transaction pooler every statement is answered; the first lost preparation turns preparing off, and is logged once', async () => {
  const pooler = await startTransactionPooler(target.connectionString);
  const told: string[] = [];
  const silent = () => {};
  const log: Log = {
    debug: silent,
    info: silent,
    warn: (_, message) => void told.push(message),
    error: silent,
    child: () => log,
  };
  const database = openPostgres(pooler.url, { poolSize: 4, log });
  for (let n = 0; n < 30; n++) {
    const answers = await Promise.all([1, 2, 3, 4, 5].map((m) => database.query('select $1::int as n', [m])));
    expect(answers).toEqual([1, 2, 3, 4, 5].map((m) => [{ n: m }]));
    await database.transaction(async (tx) => {
      const [before] = await tx.query('select pg_backend_pid() as pid');
      expect(await tx.query('select pg_backend_pid() as pid, $1::int as n', [n])).toEqual([{ ...before, n }]);
    });
    const opening = { sql: `select set_config('animus.test', $1, true)`, params: [`${n}`] };
    const seen = `select current_setting('animus.test') as seen, $1::int as n`;
    expect(await database.transaction((tx) => tx.query(seen, [n]), opening)).toEqual([{ seen: `${n}`, n }]);
    expect(await database.queryAfter(opening, seen, [n])).toEqual([{ seen: `${n}`, n }]);
  }
  expect(told).toEqual([expect.stringContaining('a transaction pooler')]);
  await database.close();
});

test('a statement that fails for another reason is not run again', async () => {
  const pooler = await startTransactionPooler(target.connectionString);
  const database = openPostgres(pooler.url, { poolSize: 1 });
  await target.database.query('create sequence tries');
  for (let n = 0; n < 3; n++) {
    await expect(database.query(`select nextval('tries') / $1::int`, [0])).rejects.toMatchObject({ code: '22012' });
  }
  expect(await target.database.query('select last_value::int as n from tries')).toEqual([{ n: 3 }]);
  await database.close();
});

test('it is detected whether notifications arrive through a pooler or not', async () => {
  const pooler = await startTransactionPooler(target.connectionString);
  const pooled = openPostgres(pooler.url, { poolSize: 1 });
  expect(await notificationMs(pooled, { withinMs: 300 })).toBeNull();
  expect(await notificationMs(target.database)).not.toBeNull();
  await pooled.close();
});
