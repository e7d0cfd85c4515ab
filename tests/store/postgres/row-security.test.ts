/** Promise: an application whose own tables have row security, forced on their owner too, submits work from a trigger and reads it beside its rows. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { claimWork, completeWork } from '../../../src/store/work/work.ts';
import { claimable } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';

const target = testDatabase();
const logins: string[] = [];
let app: Database;
beforeAll(async () => {
  const url = await createLogin(target.connectionString, 'animus_submitter', logins);
  await target.database.query(`create schema app authorization ${logins[0]}`);
  app = openPostgres(url, { poolSize: 1 });
  await app.query(`
    create table app.orders (tenant text not null default current_setting('app.tenant'), what text, work uuid);
    alter table app.orders enable row level security;
    alter table app.orders force row level security;
    create policy own on app.orders using (tenant = current_setting('app.tenant')) with check (tenant = current_setting('app.tenant'));
    create function app.submit() returns trigger language plpgsql as $$
    begin
      insert into animus.own_work (faculty, description, dedup_key) values ('orders', new.what, new.tenant || ' ' || new.what) returning id into new.work;
      return new;
    end $$;
    create trigger submit before insert on app.orders for each row execute function app.submit()`);
});
afterAll(async () => {
  await app?.close();
  await target.database.query('drop schema if exists app cascade');
  await dropLogins(logins);
});

const asTenant = <T>(tenant: string, work: (tx: Parameters<Parameters<Database['transaction']>[0]>[0]) => Promise<T>) =>
  app.transaction(async (tx) => {
    await tx.query(`select set_config('app.tenant', $1, true)`, [tenant]);
    return work(tx);
  });

test('each tenant sees its own rows, with the work that their triggers have submitted', async () => {
  for (const tenant of ['a', 'b'])
    await asTenant(tenant, (tx) => tx.query(`insert into app.orders (what) values ('one'), ('two')`));
  const refused = asTenant('a', (tx) => tx.query(`insert into app.orders (tenant, what) values ('b', 'three')`));
  await expect(refused).rejects.toThrow('row-level security policy');
  const claimed = await claimWork(target.database, crypto.randomUUID(), claimable('orders'), 10, 60);
  expect(claimed).toHaveLength(4);
  for (const work of claimed) await completeWork(target.database, work, { text: 'done' }, 'done');
  const read = 'select tenant, what, w.state from app.orders o join animus.own_work w on w.id = o.work order by what';
  for (const tenant of ['a', 'b'])
    expect(await asTenant(tenant, (tx) => tx.query(read))).toEqual([
      { tenant, what: 'one', state: 'completed' },
      { tenant, what: 'two', state: 'completed' },
    ]);
});
