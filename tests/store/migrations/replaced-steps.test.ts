/** Promise: an end or a cancel of the previous version that is running when its steps are replaced goes on with the new ones. */
import { expect, test } from 'vitest';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { insertWork } from '../work/queue-driver.ts';

const target = testDatabase({ anew: true });

test('a cancel goes on with the functions that it knows, also by a plan that it has made before', async () => {
  const db = target.open();
  // The steps of animus.cancel_work before it took many items, with a pause in front of them.
  await db.query(`
    create function animus.cancel_before(p_id uuid) returns int language plpgsql as $$
    begin
      perform pg_advisory_xact_lock(30);
      perform animus.lock_tree_to_end(p_id, 10);
      perform animus.cancel_open(animus.open_descendants(p_id) || p_id, 'not wanted');
      return cardinality(animus.descendants(p_id));
    end $$`);
  const canceller = target.open({ poolSize: 1 });
  const cancel = (id: string) => canceller.query('select animus.cancel_before($1) as below', [id]);
  expect(await cancel(await insertWork(db))).toEqual([{ below: 0 }]);
  const parent = await insertWork(db);
  await insertWork(db, { parent_id: await insertWork(db, { parent_id: parent }) });

  const { cancelling } = await target.open({ poolSize: 1 }).transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock(30)');
    const begun = cancel(parent);
    await eventually('it is running', async () => {
      const waiting = await db.query(`select from pg_locks where locktype = 'advisory' and objid = 30 and not granted`);
      return waiting.length > 0 ? true : null;
    });
    await db.query(`update animus.schema_functions set checksum = 'of the previous version'`);
    expect((await migrate(db)).functions).toContain('24_children.sql');
    return { cancelling: begun };
  });
  expect(await cancelling).toEqual([{ below: 2 }]);
  expect(await db.query('select distinct state from animus.work_items')).toEqual([{ state: 'cancelled' }]);
});
