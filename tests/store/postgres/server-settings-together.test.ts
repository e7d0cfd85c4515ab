/** Promise: animus installs under each setting that once broke an installation, and works under all settings at once. */
import { describe, expect, test } from 'vitest';
import { installVector } from '../../../src/store/migrations/extensions.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { testDatabase } from '../../support/database.ts';
import { startTransactionPooler } from '../../support/transaction-pooler.ts';
import { APPLICATION, asAnimus, asApplication, configure, install, RIGHT, SETTINGS } from './setting-matrix.ts';

const named = (...names: string[]) => SETTINGS.filter(({ name }) => names.includes(name));

/** One value of each name, without those with which an application cannot go on after its first refusal. */
const ALL = SETTINGS.filter(
  ({ name }, n) =>
    !['session_replication_role', 'exit_on_error'].includes(name) &&
    SETTINGS.findIndex((other) => other.name === name) === n,
);

describe.each([
  ['standard_conforming_strings', named('standard_conforming_strings')],
  ['search_path', named('search_path').slice(0, 1)],
  ['restrict_nonsystem_relation_kind', named('restrict_nonsystem_relation_kind')],
  ['session_replication_role', named('session_replication_role')],
  ['everything at once', ALL],
] as const)('%s', (_, settings) => {
  const target = testDatabase({ empty: true });

  test('lets animus be installed and used', async (context) => {
    if (!(await configure(target.database, settings))) context.skip('the server does not know it');
    const session = target.open({ poolSize: 2 });
    expect(await install(session)).toBeGreaterThan(60);
    expect(await asAnimus(session)).toEqual(RIGHT);
    await session.query('delete from animus.schedules');
    const differences = settings.map(({ application }) => application ?? {});
    expect(await asApplication(target.connectionString)).toEqual(Object.assign({}, APPLICATION, ...differences));
  });
});

describe('behind a transaction pooler, which does not keep what a session sets', () => {
  const target = testDatabase({ empty: true });

  test('animus can be installed with literals that read backslashes', async () => {
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
