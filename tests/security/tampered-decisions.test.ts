/** The promise: nobody changes or removes a decision, whatever its role; the owner of the schema has to switch the guard off, and that shows. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROLES } from '../../src/store/migrations/roles.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { codeOf, insertWork } from '../store/work/queue-driver.ts';
import { testDatabase } from '../support/database.ts';
import { createLogin, dropLogins } from '../support/role-login.ts';

const target = testDatabase();
const logins: string[] = [];
afterAll(() => dropLogins(logins));

const stored = () => target.database.query('select d::text as row from animus.decisions d order by id');
let before: object[];
beforeAll(async () => {
  const [kept, deleted] = [await insertWork(target.database), await insertWork(target.database)];
  await target.database.query(`select animus.cancel_work($1), animus.cancel_work($2), animus.pause()`, [kept, deleted]);
  await target.database.query('delete from animus.work_items where id = $1', [deleted]);
  before = await stored();
});

const CHANGES = [
  `update animus.decisions set note = 'y'`,
  `update animus.decisions set note = ''`,
  `update animus.decisions set salt = null`,
  `update animus.decisions set decided_by = 'y'`,
  `update animus.decisions set note = '', salt = null, decided_by = 'y'`,
  'update animus.decisions set hash = null, seq = null',
  'delete from animus.decisions',
  `delete from animus.decisions where not exists (select from animus.work_items w where w.id = work_item_id)`,
  'truncate animus.decisions',
  `insert into animus.decisions (action, decided_by, created_at, hash) values ('approve', 'x', now(), 'x')`,
  `insert into animus.decisions (action, decided_by, created_at, seq) values ('approve', 'x', now(), 1)`,
  `merge into animus.decisions d using (select 1) x on true when matched then delete`,
];

test.each(CHANGES)('the owner is refused: %s', async (statement) => {
  expect(await codeOf(target.database.query(statement))).toMatch(/^work\.(state|invalid)$/);
  expect(await stored()).toEqual(before);
});

test.each(ROLES)('%s may neither change a decision nor write one', async (role) => {
  const login = openPostgres(await createLogin(target.connectionString, role, logins), { poolSize: 1 });
  for (const statement of [
    ...CHANGES,
    `insert into animus.decisions (action, decided_by, created_at) values ('approve', 'x', now())`,
    'alter table animus.decisions disable trigger all',
    'set session_replication_role = replica',
    'drop table animus.decisions',
    `insert into animus.deleted_work (id) values (gen_random_uuid())`,
    'delete from animus.deleted_work',
  ]) {
    expect([statement, await codeOf(login.query(statement))]).toEqual([statement, 'db.forbidden']);
  }
  expect(await stored()).toEqual(before);
  await login.close();
});
