import { expect, test } from 'vitest';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import type { Database, Queryable } from '../../../src/store/sql/database.ts';
import { testDatabase } from '../../support/database.ts';

const db = testDatabase();

// Each daemon does this when it starts. With a turn for each migration, it took 252 statements.
test('where nothing is left to do, the number of statements does not grow with the migrations', async () => {
  await migrate(db.database);
  const statements: string[] = [];
  expect(await migrate(counted(db.database, statements))).toMatchObject({ applied: [], functions: [] });
  expect(statements.length, statements.join('\n')).toBeLessThan(50);
  expect(statements.filter((text) => text.includes('animus.schema_migrations where version'))).toEqual([]);
});

function counted(database: Database, statements: string[]): Database {
  const counting = (queryable: Queryable): Queryable['query'] => {
    return (text, values) => {
      statements.push(text);
      return queryable.query(text, values);
    };
  };
  return {
    ...database,
    query: counting(database),
    transaction: (work) => database.transaction((tx) => work({ ...tx, query: counting(tx) })),
  };
}
