import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { testDatabase } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';
import { listen, noticeOf } from '../postgres/listener.ts';

const PAGE = readFileSync(new URL('../../../docs/sql-api.md', import.meta.url), 'utf8');
const target = testDatabase();
const logins: string[] = [];
afterAll(() => dropLogins(logins));

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
  expect(await noticeOf(other, id)).toBeNull();
  await listener.until(`animus_work_done ${await noticeOf(submitter, id)}`);
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

test('own_work has every column that an insert may set, and nothing else that an insert may not name', async () => {
  const refused = await target.database
    .query(`insert into animus.work_items (faculty, state) values ('x', 'dead')`)
    .then(
      () => '',
      (error: unknown) => String((error as { hint?: string; cause?: { hint?: string } }).cause?.hint),
    );
  const settable = refused.replace('set only ', '').replace(/;.*/, '').split(', ');
  expect(settable).toContain('detached');
  const there = await target.database.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = 'animus.own_work'::regclass and attnum > 0`,
  );
  const names = there.map(({ name }) => name);
  expect(settable.filter((name) => !names.includes(name))).toEqual([]);
  // The same list is the table of the page.
  const table = /## Insert work\n[\s\S]*?\n\n/.exec(PAGE.replace(/```[\s\S]*?```\n/g, ''))![0];
  const told = [...table.matchAll(/^\| (`\w+`(?:, `\w+`)*) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/\w+/g)].map(([name]) => name),
  );
  expect(told.toSorted()).toEqual(settable.toSorted());
});

test.each(['animus_submitter', 'animus_gateway'])(
  '%s submits detached work, which goes on when its parent is cancelled',
  async (role) => {
    const login = openPostgres(await createLogin(target.connectionString, role, logins), { poolSize: 1 });
    const [, ...states] = await login.transaction(async (tx) => {
      if (role === 'animus_gateway') await tx.query(`select animus.act_as('alice')`);
      const insert = `insert into animus.own_work (faculty, parent_id, detached) values ('owned', $1, $2) returning id`;
      const [parent] = await tx.query<{ id: string }>(insert, [null, null]);
      await tx.query(insert, [parent!.id, true]);
      await tx.query(insert, [parent!.id, false]);
      await tx.query(`select animus.cancel_work($1)`, [parent!.id]);
      return tx.query(
        `select detached, state from animus.own_work where parent_id is not distinct from $1 or id = $1 order by id`,
        [parent!.id],
      );
    });
    expect(states).toEqual([
      { detached: true, state: 'queued' },
      { detached: false, state: 'cancelled' },
    ]);
    await login.close();
  },
);

test('every function and every error that the page names exists', async () => {
  const named = new Set([...PAGE.matchAll(/`(\w+)\(/g)].map(([, name]) => name));
  const there = await target.database.query<{ proname: string }>(
    `select proname from pg_proc where pronamespace = 'animus'::regnamespace`,
  );
  expect([...named].filter((name) => !there.some((one) => one.proname === name))).toEqual([]);
});
