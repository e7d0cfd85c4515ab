/** Promise: what a server refuses because of its limits, or of a login that does not inherit, is named with what helps, and is not a bug of animus. */
import { DatabaseError } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { messageOf } from '../../../src/core/errors/errors.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { statementError } from '../../../src/store/sql/database-errors.ts';
import { asAdmin, testDatabase } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';

const target = testDatabase();
const logins: string[] = [];
afterAll(() => dropLogins(logins));

test('a member that does not inherit is told what to change, and that helps', async () => {
  const url = await createLogin(target.connectionString, 'animus_reader', logins);
  const login = new URL(url).username;
  await asAdmin((admin) =>
    admin.query(`do $$ begin
      alter role ${login} noinherit;
      if current_setting('server_version_num')::int >= 160000 then execute 'grant animus_reader to ${login} with inherit false'; end if; end $$`),
  );
  const database = openPostgres(url, { poolSize: 1 });
  const read = () => database.query('select count(*)::int as n from animus.pauses');
  const refused = await read().catch(messageOf);
  const [, cure] =
    /is a member of animus_reader, but does not inherit its rights; an administrator changes that: (.*)$/.exec(
      messageOf(refused),
    ) ?? [];
  expect(cure).toMatch(/^(grant animus_reader to \w+ with inherit true|alter role \w+ inherit)$/);
  await asAdmin((admin) => admin.query(cure!));
  expect(await read()).toHaveLength(1);
  await database.close();
});

test('temp_file_limit is named', async () => {
  const sorted = target.database.transaction(async (tx) => {
    await tx.query(`set local work_mem = '64kB'; set local temp_file_limit = '64kB'`);
    await tx.query('select count(*) from (select g from generate_series(1, 100000) g order by -g offset 0) s');
  });
  await expect(sorted).rejects.toMatchObject({ code: 'db.unreachable' });
  await expect(sorted).rejects.toThrow(/temp_file_limit/);
});

test('a full queue of notifications names the session that keeps it full', () => {
  const full = new DatabaseError('too many notifications in the NOTIFY queue', 1, 'error');
  Object.assign(full, { code: '54000', routine: 'PreCommit_Notify', severity: 'ERROR' });
  expect(statementError(full, 'here')).toMatchObject({
    code: 'db.unreachable',
    message: expect.stringContaining('look in pg_stat_activity'),
  });
  const large = Object.assign(new DatabaseError('index row size exceeds', 1, 'error'), { code: '54000' });
  expect(statementError(large, 'here')).toBe(large);
});
