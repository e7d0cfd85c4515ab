/** The promise: a person who acts through a gateway has the rights of a submitter, whatever rights the gateway's login has. */
import { afterAll, expect, test } from 'vitest';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database, Queryable } from '../../src/store/sql/database.ts';
import { insertWork } from '../store/work/queue-driver.ts';
import { testDatabase } from '../support/database.ts';
import { createPerson } from '../support/people.ts';
import { createLogin, dropLogins } from '../support/role-login.ts';

const target = testDatabase();
const logins: string[] = [];
afterAll(() => dropLogins(logins));

const submit = async (tx: Queryable) =>
  (await tx.query<{ id: string }>(`select id from animus.submit_work('engineer', 'Fix it')`))[0]!.id;
const as = <T>(gateway: Database, person: string, work: (tx: Queryable) => Promise<T>) =>
  gateway.transaction(async (tx) => {
    await tx.query('select animus.act_as($1)', [person]);
    return work(tx);
  });

test.each(['animus_gateway', 'animus_gateway, animus_operator, animus_reader, animus_daemon'])(
  'through a login of %s, a person reads, watches, attaches to and cancels its own work only',
  async (roles) => {
    const gateway = openPostgres(await createLogin(target.connectionString, roles, logins), { poolSize: 2 });
    const [alices, bobs] = [await as(gateway, 'alice', submit), await as(gateway, 'bob', submit)];
    const foreign = await insertWork(target.database);

    const own = (person: string) =>
      as(gateway, person, (tx) => tx.query(`select id from animus.own_work where state = 'queued'`));
    expect(await own('alice')).toEqual([{ id: alices }]);
    expect(await own('bob')).toEqual([{ id: bobs }]);
    for (const id of [bobs, foreign]) {
      for (const call of [
        'select animus.cancel_work($1)',
        'select animus.watch_work($1)',
        `select animus.attach_file($1, 'a.txt', 'x')`,
        `select animus.submit_work('engineer', parent_id => $1)`,
      ]) {
        await expect(as(gateway, 'alice', (tx) => tx.query(call, [id]))).rejects.toMatchObject({
          code: 'work.not_found',
        });
      }
    }
    for (const call of [
      'select animus.retry_work($1)',
      `select animus.append_ledger($1, 'note', 'x')`,
      `select animus.pause('engineer') where $1::uuid is not null`,
    ]) {
      await expect(as(gateway, 'alice', (tx) => tx.query(call, [alices]))).rejects.toMatchObject({
        code: 'db.forbidden',
      });
    }

    await as(gateway, 'alice', (tx) => tx.query(`select animus.cancel_work($1, 'no longer needed')`, [alices]));
    await as(gateway, 'bob', (tx) => tx.query(`select animus.cancel_work($1)`, [bobs]));
    const decisions = await target.database.query(
      'select work_item_id, decided_by, note from animus.decisions where work_item_id = any ($1) order by id',
      [[alices, bobs]],
    );
    expect(decisions).toEqual([
      { work_item_id: alices, decided_by: 'person:alice', note: 'no longer needed' },
      { work_item_id: bobs, decided_by: 'person:bob', note: 'cancelled by its submitter' },
    ]);
    await gateway.close();
  },
);

test('a person who may see all work adds nothing to that of others', async () => {
  const gateway = openPostgres(await createLogin(target.connectionString, 'animus_gateway', logins), { poolSize: 1 });
  await createPerson(target.database, 'reader', 'reader');
  await createPerson(target.database, 'operator', 'operator');
  const id = await as(gateway, 'alice', submit);
  for (const [call, code] of [
    [`select animus.attach_file($1, 'a.txt', 'x')`, 'db.forbidden'],
    [`select animus.submit_work('engineer', parent_id => $1)`, 'work.not_found'],
  ] as const) {
    const add = (person: string) => as(gateway, person, (tx) => tx.query(call, [id]));
    await expect(add('reader')).rejects.toMatchObject({ code });
    for (const person of ['alice', 'operator']) await add(person);
  }
  await gateway.close();
});

test.each(['', ' ', 'a b', 'a\nb', 'a\u0007', 'x'.repeat(201)])('the name %j is refused', async (name) => {
  const gateway = openPostgres(await createLogin(target.connectionString, 'animus_gateway', logins), { poolSize: 1 });
  await expect(as(gateway, name, submit)).rejects.toMatchObject({ code: 'work.invalid' });
  expect(await gateway.query('select animus.actor()')).toEqual([{ actor: logins.at(-1) }]);
  await gateway.close();
});
