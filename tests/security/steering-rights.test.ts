/** Promise: only operators and the submitter of work may say something to it, and a submitter cannot fill the disk with it. */
import { afterAll, expect, test } from 'vitest';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { sayWork } from '../../src/store/work/say-work.ts';
import { codeOf, insertWork } from '../store/work/queue-driver.ts';
import { testDatabase } from '../support/database.ts';
import { createLogin, dropLogins } from '../support/role-login.ts';

const target = testDatabase();
const logins: string[] = [];
const open: Database[] = [];
afterAll(async () => {
  for (const db of open) await db.close();
  await dropLogins(logins);
});

async function as(role: string): Promise<Database> {
  const db = openPostgres(await createLogin(target.connectionString, role, logins), { poolSize: 1 });
  open.push(db);
  return db;
}

const submit = async (db: Database, key: string | null = null) => {
  const [row] = await db.query<{ id: string }>('select id from animus.submit_work($1, dedup_key => $2)', [
    'steered',
    key,
  ]);
  return row!.id;
};

test('a submitter may say something to its own work, at most twenty times, and reads its mail', async () => {
  const db = await as('animus_submitter');
  const id = await submit(db);
  for (let n = 0; n < 20; n++) await sayWork(db, id, `${n} ${'x'.repeat(2000)}`);
  expect(await codeOf(sayWork(db, id, 'more'))).toBe('work.invalid');
  const mail = await db.query('select text from animus.own_mail where work_item_id = $1', [id]);
  expect(mail).toHaveLength(20);
  const [kept] = await target.database.query<{ longest: number }>(
    'select max(length(note)) as longest from animus.decisions where work_item_id = $1',
    [id],
  );
  expect(kept!.longest).toBeLessThan(600);
  const [author] = await target.database.query(
    `select distinct author_is from animus.mailbox where work_item_id = $1`,
    [id],
  );
  expect(author).toEqual({ author_is: 'submitter' });
});

test('another submitter does not learn that the work exists, not even where its own merged into it', async () => {
  const [mine, other] = [await as('animus_submitter'), await as('animus_submitter')];
  const id = await submit(mine, 'k');
  expect(await codeOf(sayWork(other, id, 'Hello'))).toBe('work.not_found');
  const merged = await submit(other, 'k');
  await expect(sayWork(other, merged, 'Hello')).rejects.toMatchObject({
    code: 'work.state',
    message: expect.stringContaining('somebody else') as string,
  });
  expect(await target.database.query('select from animus.mailbox where work_item_id = $1', [id])).toEqual([]);
});

test.each(['animus_reader', 'animus_daemon'])('a login of role %s may not', async (role) => {
  const id = await insertWork(target.database, { faculty: 'steered' });
  expect(await codeOf(sayWork(await as(role), id, 'Hello'))).toBe('db.forbidden');
});

test('through a gateway, a person may say something to its own work, and is named', async () => {
  const db = await as('animus_gateway');
  const id = await db.transaction(async (tx) => {
    await tx.query(`select animus.act_as('alice')`);
    const [row] = await tx.query<{ id: string }>('select id from animus.submit_work($1)', ['steered']);
    await sayWork(tx, row!.id, 'Hello');
    return row!.id;
  });
  const [mail] = await target.database.query('select author, author_is from animus.mailbox where work_item_id = $1', [
    id,
  ]);
  expect(mail).toEqual({ author: 'person:alice', author_is: 'submitter' });
  const stranger = db.transaction(async (tx) => {
    await tx.query(`select animus.act_as('mallory')`);
    await sayWork(tx, id, 'Hello');
  });
  expect(await codeOf(stranger)).toBe('work.not_found');
});
