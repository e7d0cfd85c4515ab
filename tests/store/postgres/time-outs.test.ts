/** Promise: time-outs of a server, database or login that are too short are raised, and one that ends a statement or a transaction is named. */
import { describe, expect, test } from 'vitest';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { LEAST_TIMEOUT_MS } from '../../../src/store/postgres/session-settings.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { configure } from './setting-matrix.ts';

describe('time-outs', () => {
  const target = testDatabase({ empty: true });
  const names = Object.keys(LEAST_TIMEOUT_MS);
  const read = async (db: Queryable) => {
    const rows = await db.query<{ name: string; ms: number }>(
      'select name, setting::int as ms from pg_settings where name = any ($1)',
      [names],
    );
    return Object.fromEntries(rows.map(({ name, ms }) => [name, ms]));
  };

  /** A connection string that asks for so many milliseconds. */
  const asking = (name: string, ms: number) => {
    const url = new URL(target.connectionString);
    url.searchParams.set('options', `-c ${name}=${ms}`);
    return url.href;
  };

  test('that are too short are raised, and those of the connection string are kept and named', async () => {
    const known = Object.keys(await read(target.database));
    await configure(
      target.database,
      known.map((name) => ({ name, value: '5s' })),
    );
    const raised = target.open({ poolSize: 1 });
    const least = Object.entries(LEAST_TIMEOUT_MS).filter(([name]) => known.includes(name));
    expect(await read(raised)).toEqual(Object.fromEntries(least));
    const asked = openPostgres(asking('statement_timeout', 3000), { poolSize: 1 });
    expect(await read(asked)).toMatchObject({ statement_timeout: 3000, lock_timeout: LEAST_TIMEOUT_MS.lock_timeout });
    const late = asked.query('select pg_sleep(60)');
    await expect(late).rejects.toMatchObject({ code: 'db.unreachable', retryable: true });
    await expect(late).rejects.toThrow(/statement_timeout is too short for animus: animus doctor says where it is set/);
    await asked.close();
  });

  test.each([
    ['idle_in_transaction_session_timeout', 'select 1'],
    ['lock_timeout', 'lock table held'],
  ])('%s is named when it ends a transaction', async (name, statement) => {
    await target.database.query('create table if not exists held (n int)');
    const limited = openPostgres(asking(name, 900), { poolSize: 1 });
    await target.database.transaction(async (holder) => {
      await holder.query('lock table held');
      const ended = limited.transaction(async (tx) => {
        const [{ pid }] = (await tx.query('select pg_backend_pid() as pid')) as [{ pid: number }];
        // A session that is idle is ended by the server; the other time-out ends the statement.
        if (name.startsWith('idle'))
          await eventually('it is ended', async () => {
            const there = await target.database.query('select from pg_stat_activity where pid = $1', [pid]);
            return there.length === 0 ? true : null;
          });
        await tx.query(statement);
      });
      await expect(ended).rejects.toThrow(new RegExp(`${name} (of the login|is too short for animus)`));
    });
    await limited.close();
  });
});
