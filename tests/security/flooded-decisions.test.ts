/** The promise: a submitter cannot fill the record of decisions, which is kept for ever, by cancelling its work again and again. */
import { afterAll, expect, test } from 'vitest';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { beginFocus } from '../support/begun-focus.ts';
import { testDatabase } from '../support/database.ts';
import { createLogin, dropLogins } from '../support/role-login.ts';

const target = testDatabase();
const logins: string[] = [];
afterAll(() => dropLogins(logins));

test.each(['ended', 'running'])(
  'work that is %s: one decision, however often its submitter cancels it',
  async (state) => {
    const submitter = openPostgres(await createLogin(target.connectionString, 'animus_submitter', logins), {
      poolSize: 1,
    });
    const [work] = await submitter.query<{ id: string }>(`select id from animus.submit_work('engineer')`);
    const id = work!.id;
    if (state === 'running') await beginFocus(target.database, { id });
    for (let n = 0; n < 20; n++) await submitter.query(`select animus.cancel_work($1, repeat('x', 10000))`, [id]);
    const count = () =>
      target.database.query('select count(*)::int as n from animus.decisions where work_item_id = $1', [id]);
    expect(await count()).toEqual([{ n: 1 }]);
    await target.database.query('select animus.cancel_work($1)', [id]);
    expect(await count()).toEqual([{ n: 2 }]);
    await submitter.close();
  },
);
