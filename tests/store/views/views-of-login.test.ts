/** Promise: a login reads the views of its role. */
import { afterAll, expect, test } from 'vitest';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { viewsOfLogin } from '../../../src/store/views/views-of-login.ts';
import { testDatabase } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';

const target = testDatabase();
const logins: string[] = [];
afterAll(() => dropLogins(logins));

test.each([
  ['animus_submitter', 'own'],
  ['animus_reader', 'visible'],
  ['animus_operator', 'visible'],
  ['animus_daemon', 'visible'],
] as const)('%s: %s', async (role, views) => {
  const db = openPostgres(await createLogin(target.connectionString, role, logins), { poolSize: 1 });
  try {
    expect(await viewsOfLogin(db)).toBe(views);
    expect(await db.query(`select from animus.${views}_work limit 0`)).toEqual([]);
  } finally {
    await db.close();
  }
});

test('the owner of the schema', async () => {
  expect(await viewsOfLogin(target.database)).toBe('visible');
});
