import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { ROLES } from '../../../src/store/migrations/roles.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { testDatabase } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';
import { listen } from '../postgres/listener.ts';

const PAGE = readFileSync(new URL('../../../docs/sql-api.md', import.meta.url), 'utf8');
/** Each example with the role that it names. */
const EXAMPLES = [...PAGE.matchAll(/^```sql(.*)\n([^]*?)^```/gm)].map(([, role, sql]) => ({
  role: role!.trim(),
  sql: sql!,
}));

const target = testDatabase();
const logins: string[] = [];
afterAll(() => dropLogins(logins));

test('the examples of docs/sql-api.md run in order under the named role, and do what the page says', async () => {
  expect(EXAMPLES.length).toBeGreaterThan(8);
  expect(EXAMPLES.filter(({ role }) => !ROLES.some((known) => known === role))).toEqual([]);
  // The application's own table is in a separate schema.
  await target.database.query('grant create on schema public to animus_submitter');
  const as: Record<string, Database> = {};
  for (const { role, sql } of EXAMPLES) {
    as[role] ??= openPostgres(await createLogin(target.connectionString, role, logins), { poolSize: 1 });
    await as[role].query(sql);
  }
  const states = await target.database.query(
    'select faculty, state, count(*)::int as n from animus.work_items group by 1, 2 order by 1, 2',
  );
  expect(states).toEqual([
    { faculty: 'accountant', state: 'completed', n: 1 },
    { faculty: 'accountant', state: 'merged', n: 2 },
    { faculty: 'engineer', state: 'cancelled', n: 1 },
    { faculty: 'engineer', state: 'queued', n: 5 },
  ]);
  await Promise.all(Object.values(as).map((database) => database.close()));
  await target.database.query(
    'drop table invoices; drop function check_invoice; revoke create on schema public from animus_submitter',
  );
});

test('the SQL examples of docs/audit.md run under the named role', async () => {
  const page = readFileSync(new URL('../../../docs/audit.md', import.meta.url), 'utf8');
  const examples = [...page.matchAll(/^```sql (\w+)\n([^]*?)^```/gm)];
  expect(examples.map(([, role]) => role)).toEqual(['animus_reader', 'animus_reader', 'animus_operator']);
  await target.database.query(`select animus.pause('accountant', 'Ada Lovelace is away')`);
  for (const [, role, sql] of examples) {
    const login = openPostgres(await createLogin(target.connectionString, role!, logins), { poolSize: 1 });
    // No call was refused here.
    expect((await login.query(sql!)).length > 0).toBe(!sql!.includes('refused_calls'));
    await login.close();
  }
  expect(await target.database.query(`select from animus.decisions where note like '%Lovelace%'`)).toEqual([]);
});

test('the SQL example of docs/attachments.md attaches a file of an own table', async () => {
  const page = readFileSync(new URL('../../../docs/attachments.md', import.meta.url), 'utf8');
  const [, example] = /^```sql\n([^]*?)^```/m.exec(page)!;
  await target.database.query(
    `create table scans (invoice int, name text, content bytea);
     insert into scans values (17, 'front.txt', 'paid'), (17, 'back.txt', 'twice'), (18, 'other.txt', 'x');
     grant select on scans to animus_submitter`,
  );
  const submitter = openPostgres(await createLogin(target.connectionString, 'animus_submitter', logins), {
    poolSize: 1,
  });
  await submitter.query(example!);
  const files = await submitter.query('select name, media_type from animus.own_artifacts order by name');
  expect(files).toEqual([
    { name: 'back.txt', media_type: 'text/plain; charset=utf-8' },
    { name: 'front.txt', media_type: 'text/plain; charset=utf-8' },
  ]);
  await submitter.close();
  await target.database.query('drop table scans');
});

test('an outcome reaches a submitter that listens, and nobody who may not see it', async () => {
  const open = async () =>
    openPostgres(await createLogin(target.connectionString, 'animus_submitter', logins), { poolSize: 1 });
  const [submitter, other] = [await open(), await open()];
  const listener = await listen(submitter, 'animus_work_done');
  const [own] = await submitter.query<{ id: string }>(
    `insert into animus.own_work (faculty, description) values ('waiter', 'x') returning id`,
  );
  const id = own!.id;
  expect(await submitter.query('select animus.watch_work($1) as state', [id])).toEqual([{ state: 'queued' }]);
  await expect(other.query('select animus.watch_work($1)', [id])).rejects.toMatchObject({ code: 'work.not_found' });
  const channel = `animus_text_${'0'.repeat(32)}`;
  expect(await submitter.query('select animus.watch_texts($1, $2) as channel', [id, channel])).toEqual([{ channel }]);
  await expect(other.query('select animus.watch_texts($1, $2)', [id, channel])).rejects.toMatchObject({
    code: 'work.not_found',
  });
  expect(await other.query('select id from animus.own_work')).toEqual([]);

  await target.database.query(
    `select animus.complete_work(id, lease_token, '{"answer": 42}', 'done')
       from animus.claim_work('0190a5e4-0000-7000-8000-000000000002', '{"waiter": {"max": 1}}', 1, '1 minute')`,
  );
  await listener.until(`animus_work_done ${id}`);
  expect(await submitter.query('select state, outcome from animus.own_work where id = $1', [id])).toEqual([
    { state: 'completed', outcome: { answer: 42 } },
  ]);
  await target.database.query(`select animus.append_ledger($1, 'note', 'filed')`, [id]);
  expect(await submitter.query('select content from animus.own_ledger where work_item_id = $1', [id])).toEqual([
    { content: 'filed' },
  ]);
  expect(await other.query('select content from animus.own_ledger')).toEqual([]);
  await listener.stop();
  await Promise.all([submitter.close(), other.close()]);
});

test('the owner of work cannot be set, or hidden by another role or a definer’s function', async () => {
  const submitter = openPostgres(await createLogin(target.connectionString, 'animus_submitter', logins), {
    poolSize: 1,
  });
  const login = logins.at(-1)!;
  await expect(
    submitter.query(`insert into animus.work_items (faculty, submitted_by) values ('owned', 'somebody')`),
  ).rejects.toMatchObject({ code: 'work.invalid' });
  await expect(
    submitter.query(`insert into animus.own_work (faculty, state) values ('owned', 'completed')`),
  ).rejects.toMatchObject({ code: 'work.invalid' });
  await submitter.query(
    `set role animus_submitter; insert into animus.work_items (faculty) values ('owned'); reset role`,
  );
  await submitter.query(`select animus.submit_work('owned')`);
  expect(
    await target.database.query(`select distinct submitted_by from animus.work_items where faculty = 'owned'`),
  ).toEqual([{ submitted_by: login }]);
  for (const statement of [`update animus.own_work set priority = 1`, `delete from animus.own_work`]) {
    await expect(submitter.query(statement)).rejects.toMatchObject({ code: 'db.forbidden' });
  }
  // The security barrier: even a function of the login that claims to be cheap is not called with other logins' rows.
  await submitter.query(
    `create function pg_temp.tell(text) returns boolean language plpgsql cost 0.0000001 as $$ begin if $1 = 'a secret' then raise 'seen'; end if; return true; end $$`,
  );
  await target.database.query(`insert into animus.work_items (faculty, description) values ('owned', 'a secret')`);
  const rows = await submitter.query(`select description from animus.own_work where pg_temp.tell(description)`);
  expect(rows).toEqual([{ description: '' }, { description: '' }]);
  await submitter.close();
});

test('every function and every error that the page names exists', async () => {
  const named = new Set([...PAGE.matchAll(/`(\w+)\(/g)].map(([, name]) => name));
  const there = await target.database.query<{ proname: string }>(
    `select proname from pg_proc where pronamespace = 'animus'::regnamespace`,
  );
  expect([...named].filter((name) => !there.some((one) => one.proname === name))).toEqual([]);
});
