/** Promise: a refusal tells a role that has lost a right from a login that lacks the role, and nobody is shown part of the work as if it were all. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listWork } from '../../../src/operations/read-work.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { viewsOfLogin } from '../../../src/store/views/views-of-login.ts';
import { asAdmin, testDatabase } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';

const target = testDatabase();
const logins: string[] = [];
let reader: Database;
let operator: Database;

beforeAll(async () => {
  reader = openPostgres(await createLogin(target.connectionString, 'animus_reader', logins), { poolSize: 1 });
  operator = openPostgres(await createLogin(target.connectionString, 'animus_operator', logins), { poolSize: 1 });
});

afterAll(async () => {
  await reader.close();
  await operator.close();
  await dropLogins(logins);
});

test('a role that has lost a right is named', async () => {
  await target.database.query('revoke execute on function animus.pause(text, text) from animus_operator');
  await target.database.query('revoke select on animus.work_items from animus_reader');
  await expect(operator.query('select animus.pause()')).rejects.toThrow(
    /function pause; the role animus_operator has lost this right: run as the owner of the schema: animus db migrate/,
  );
  await expect(viewsOfLogin(reader)).rejects.toThrow(
    /permission denied for table work_items; the role animus_reader has lost this right/,
  );
  await target.database.query('select animus.grant_roles()');
  expect(await listWork(reader, { limit: 1 }, await viewsOfLogin(reader))).toEqual([]);
});

test('no login is told to become a gateway', async () => {
  await expect(operator.query(`select animus.act_as('alice')`)).rejects.toThrow(
    /function act_as; this needs a login that has only the role animus_gateway/,
  );
});

test('a login that does not inherit its role is told so', async () => {
  await asAdmin((admin) =>
    admin.query(
      `alter role ${logins[1]} noinherit; revoke animus_operator from ${logins[1]}; grant animus_operator to ${logins[1]}`,
    ),
  );
  await expect(operator.query('select animus.pause()')).rejects.toThrow(
    /is a member of animus_operator, but does not inherit its rights/,
  );
});
