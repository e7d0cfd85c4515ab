/** The promise: nobody can add a child to somebody else's item, in any way, or learn from the refusal that the item exists. */
import { afterAll, expect, test } from 'vitest';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { drainInbox } from '../../src/store/work/inbox.ts';
import { emptyQueue, insertWork } from '../store/work/queue-driver.ts';
import { testDatabase } from '../support/database.ts';
import { createLogin, dropLogins } from '../support/role-login.ts';

const target = testDatabase();
const logins: string[] = [];
afterAll(() => dropLogins(logins));

const login = async (role: string) =>
  openPostgres(await createLogin(target.connectionString, role, logins), { poolSize: 1 });

test('a parent must be work that its submitter may see', async () => {
  await emptyQueue(target.database);
  const [submitter, other, operator] = [
    await login('animus_submitter'),
    await login('animus_submitter'),
    await login('animus_operator'),
  ];
  const [own] = await submitter.query<{ id: string }>(`select id from animus.submit_work('engineer')`);
  const foreign = await insertWork(target.database);
  const nowhere = '01900000-0000-7000-8000-000000000000';
  const below = (parent: string) => [`select animus.submit_work('engineer', parent_id => $1)`, [parent]] as const;

  await submitter.query(...below(own!.id));
  await operator.query(...below(own!.id));
  await operator.query(...below(foreign));
  const refusals = await Promise.allSettled([
    other.query(...below(own!.id)),
    submitter.query(...below(foreign)),
    submitter.query('insert into animus.own_work (faculty, parent_id) values ($1, $2)', ['engineer', foreign]),
    submitter.query(...below(nowhere)),
  ]);
  const said = refusals.map((one) =>
    one.status === 'rejected' ? String(one.reason.message).replace(/[0-9a-f-]{36}/, 'ID') : 'let through',
  );
  expect(said).toEqual(Array(4).fill('no work item ID to be the parent'));
  await Promise.all([submitter.close(), other.close(), operator.close()]);
});

test('the sender of a message is checked with its own rights when it sends, not with those of the daemon that reads it', async () => {
  await emptyQueue(target.database);
  const sender = await login('animus_submitter');
  await target.database.query(`do $$ begin execute format('grant usage on schema pgmq to %I', '${logins.at(-1)}');
    execute format('grant insert on pgmq.q_animus_inbox to %I', '${logins.at(-1)}');
    execute format('grant usage on all sequences in schema pgmq to %I', '${logins.at(-1)}'); end $$`);
  const [own] = await sender.query<{ id: string }>(`select id from animus.submit_work('engineer')`);
  const foreign = await insertWork(target.database);
  const send = (parent: unknown) =>
    sender.query(
      `insert into pgmq.q_animus_inbox (vt, message) values (now(), jsonb_build_object('faculty', 'engineer', 'parent_id', $1::jsonb))`,
      [JSON.stringify(parent)],
    );
  for (const parent of [own!.id, foreign, foreign.toUpperCase(), 'nonsense', 7]) await send(parent);
  expect(await drainInbox(target.database, 10)).toEqual({ accepted: 1, refused: 4, postponed: 0 });
  const reasons = await target.database.query<{ reason: string }>(
    `select message ->> 'reason' as reason from pgmq.q_animus_inbox_dead order by msg_id`,
  );
  expect(reasons.map(({ reason }) => reason.replace(/[0-9a-fA-F-]{36}/, 'ID'))).toEqual([
    'no work item ID to be the parent',
    'no work item ID to be the parent',
    'parent_id: expected the id of a work item, got "nonsense"',
    'parent_id: expected a text, got 7',
  ]);
  await sender.close();
  await target.database.query(`drop owned by ${logins.at(-1)}`);
});
