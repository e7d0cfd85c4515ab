/** Promise: a new database has nothing of animus or all of it, whoever looks and whenever the process is killed, and is migrated in few steps. */
import { expect, test } from 'vitest';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { readSchemaFiles } from '../../../src/store/migrations/migration-files.ts';
import type { Database, Queryable } from '../../../src/store/sql/database.ts';
import { sqlState } from '../../../src/store/sql/database-errors.ts';
import { readValues } from '../../../src/store/sql/read-value.ts';
import { testDatabase } from '../../support/database.ts';

const counted = testDatabase({ empty: true });
const observed = testDatabase({ empty: true });
const killed = testDatabase({ empty: true });
const raced = testDatabase({ empty: true });

const INSERT = `insert into animus.work_items (faculty, description) values ('early', 'Comes too early') returning id`;

// With a transaction for each migration, 75 and 948 statements.
test('it takes five transactions, and one statement per file and some', async () => {
  const { migrations, functions } = await readSchemaFiles();
  let statements = 0;
  let transactions = 0;
  const database = beforeEach(counted.database, async (sql) => {
    statements++;
    if (sql === 'begin') transactions++;
  });
  expect(await migrate(database)).toMatchObject({ applied: migrations.map(({ name }) => name) });
  expect(transactions).toBe(5);
  expect(statements).toBeLessThan(migrations.length + functions.length + 80);
});

test('an insert during it finds no table until it can be done, and never writes a row without an id', async () => {
  const other = observed.open();
  const answers = new Set<string>();
  const database = beforeEach(observed.database, async () => {
    const [row] = await other.query<{ id: string | null }>(INSERT).catch((error: unknown) => [{ id: sqlState(error) }]);
    answers.add(row?.id?.length === 36 ? 'inserted' : String(row?.id));
  });
  await migrate(database);
  // Undefined table. The last step, the rights of the roles, finds everything there.
  expect([...answers]).toEqual(['42P01', 'inserted']);
});

test('killed at any moment, it leaves nothing but the record of migrations, and the next one does all', async () => {
  const { migrations, functions } = await readSchemaFiles();
  for (const after of [20, migrations.length, migrations.length + functions.length]) {
    let left = after;
    const database = beforeEach(killed.open({ poolSize: 1 }), async () => {
      if (left-- === 0) throw new Error('killed');
    });
    await expect(migrate(database)).rejects.toThrow('killed');
    expect(await tablesOf(killed.database)).toEqual([
      'schema_functions',
      'schema_functions_replaced',
      'schema_migrations',
    ]);
  }
  expect((await migrate(killed.database)).applied).toHaveLength(migrations.length);
});

test('of processes that race, one does it and the others find it done', async () => {
  const results = await Promise.all([1, 2, 3].map(() => migrate(raced.database)));
  expect(results.filter(({ applied }) => applied.length > 0)).toHaveLength(1);
  expect(results.filter(({ functions }) => functions.length > 0)).toHaveLength(1);
});

/** Calls `what` before each statement, and with `begin` before each transaction. */
function beforeEach(database: Database, what: (sql: string) => Promise<void>): Database {
  const query = (queryable: Queryable): Queryable['query'] => {
    return async (sql, values) => {
      await what(sql);
      return queryable.query(sql, values);
    };
  };
  return {
    ...database,
    query: query(database),
    transaction: async (work) => {
      await what('begin');
      return database.transaction((tx) => work({ query: query(tx) }));
    },
  };
}

function tablesOf(database: Database): Promise<string[]> {
  return readValues<string>(database, `select tablename from pg_tables where schemaname = 'animus' order by 1`);
}
