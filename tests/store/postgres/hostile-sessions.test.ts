/** Promise: what a session sets may not last behind a pooler, and a schema of an application may come first: animus installs and works nevertheless. */
import { describe, expect, test } from 'vitest';
import { installVector } from '../../../src/store/migrations/extensions.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { testDatabase } from '../../support/database.ts';
import { startTransactionPooler } from '../../support/transaction-pooler.ts';
import { asAnimus, COLLIDING, configure, install, RIGHT, SETTINGS } from './setting-matrix.ts';

const named = (...names: string[]) => SETTINGS.filter(({ name }) => names.includes(name));

describe('behind a transaction pooler, which does not keep what a session sets', () => {
  const target = testDatabase({ empty: true });

  test('animus can be installed with literals that read backslashes', async () => {
    await target.database.query(COLLIDING);
    await configure(target.database, named('standard_conforming_strings', 'restrict_nonsystem_relation_kind'));
    const pooler = await startTransactionPooler(target.connectionString, 2);
    const pooled = openPostgres(pooler.url, { poolSize: 1, prepare: false });
    expect(await pooled.query('show standard_conforming_strings')).toEqual([{ standard_conforming_strings: 'off' }]);
    expect(await install(pooled)).toBeGreaterThan(60);
    await pooled.close();
    expect((await asAnimus(target.open({ poolSize: 2 }))).memory).toEqual(RIGHT.memory);
  });
});

describe('a schema of an application before pg_catalog', () => {
  const target = testDatabase({ empty: true });

  test('is where objects without a schema are made, and hides nothing of Postgres', async () => {
    await target.database.query(COLLIDING);
    await configure(target.database, named('search_path').slice(0, 1));
    const session = target.open({ poolSize: 1 });
    await session.query('create table made_here (n int)');
    const [row] = await session.query(
      `select length('abc'), current_setting('search_path') as path, to_regclass('app.made_here') is not null as there`,
    );
    expect(row).toEqual({ length: 3, path: 'app', there: true });
    expect(await session.transaction(installVector)).toHaveProperty('vector');
  });
});
