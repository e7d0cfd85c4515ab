/** A server that has no connection left: the error says which limit it is, and how to raise it. So is one that only reads. */
import { afterEach, expect, test } from 'vitest';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { asAdmin, testDatabase } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';

const target = testDatabase({ empty: true });
const logins: string[] = [];
afterEach(() => dropLogins(logins.splice(0)));

async function failureOf(url: string, sql = 'select 1'): Promise<unknown> {
  const database = openPostgres(url, { poolSize: 1 });
  try {
    return await database.query(sql).catch((error: unknown) => error);
  } finally {
    await database.close();
  }
}

test('the limit of a role is named with the role', async () => {
  const url = await createLogin(target.connectionString, 'animus_submitter', logins);
  await asAdmin((admin) => admin.query(`alter role ${logins[0]} connection limit 0`));
  expect(await failureOf(url)).toMatchObject({
    code: 'db.unreachable',
    message: expect.stringMatching(
      `cannot use the database at .*too many connections for role.*this is the limit of the role, .*alter role ${logins[0]} connection limit NUMBER.*daemon.pool_size`,
    ),
  });
});

test('the limit of a database is named with the database', async () => {
  const url = await createLogin(target.connectionString, 'animus_submitter', logins);
  const name = new URL(url).pathname.slice(1);
  await asAdmin((admin) => admin.query(`alter database ${name} connection limit 0`));
  const failure = await failureOf(url);
  await asAdmin((admin) => admin.query(`alter database ${name} connection limit -1`));
  expect(failure).toMatchObject({
    code: 'db.unreachable',
    message: expect.stringMatching(`limit of the database, .*alter database ${name} connection limit NUMBER`),
  });
});

test('a read-only session is told apart from a server that does not answer', async () => {
  const url = new URL(target.connectionString);
  url.searchParams.set('options', '-c default_transaction_read_only=on');
  expect(await failureOf(url.href, 'create table t (id int)')).toMatchObject({
    code: 'db.unreachable',
    message: expect.stringMatching(
      /^cannot use the database at .*read-only transaction; the server is read-only: .*animus doctor says where it is set/,
    ),
  });
});
