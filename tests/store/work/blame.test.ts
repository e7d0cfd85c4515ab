/** Promise: blame for a claim that fails is put where it belongs: on an item, a faculty or on nobody; and it is told to nobody who may not know. */
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { readKeptFaults } from '../../../src/store/work/claim-faults.ts';
import { testDatabase } from '../../support/database.ts';
import { emptyQueue, faculties, insertWork, openTransaction } from './queue-driver.ts';
import { makeRefusals, refusalsOf } from './refused-rows.ts';

const target = testDatabase();
const { refuse, round } = refusalsOf(target);
beforeAll(() => makeRefusals(target.database));
beforeEach(() => emptyQueue(target.database));
afterEach(async () => {
  await target.database.query('delete from public.refusals; delete from animus.claim_faults');
});

test('a faculty of which every item is refused is left out as a whole, and the others are claimed', async () => {
  for (let n = 0; n < 50; n++) await insertWork(target.database, { faculty: 'accountant', description: 'bad' });
  const good = await insertWork(target.database, { description: 'good' });
  await refuse('bad');
  const both = faculties('engineer', 'accountant');
  const { fault } = await round(3, both);
  expect(fault).toEqual({
    reach: 'some',
    items: [],
    faculties: [expect.objectContaining({ faculty: 'accountant', message: 'the application refuses bad' })],
  });
  expect((await round(3, faculties('engineer'))).claimed).toEqual([good]);
  expect(await readKeptFaults(target.database)).toEqual([]);
});

test('what cannot be tried is no proof that others are to blame: a fault of all rows leaves none out', async () => {
  await insertWork(target.database, { description: 'bad' });
  await insertWork(target.database, { description: 'bad' });
  const locked = await insertWork(target.database, { description: 'bad' });
  await refuse('bad');
  const open = await openTransaction(target.database, async (tx) => {
    await tx.query('select from animus.work_items where id = $1 for update', [locked]);
  });
  const { fault } = await round();
  await open.end('rollback');
  expect(fault).toEqual({ reach: 'everything' });
  expect(await readKeptFaults(target.database)).toEqual([]);
});

test('who may only submit learns of no faults of others, and who asks what is unclaimed keeps it from nobody', async () => {
  const rights = await target.database.query(
    `select r as role from unnest(animus.roles()) r where has_table_privilege(r, 'animus.claim_faults', 'select') order by 1`,
  );
  expect(rights).toEqual(['animus_daemon', 'animus_operator', 'animus_reader'].map((role) => ({ role })));
  const id = await insertWork(target.database);
  await target.database.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(`update animus.work_items set created_at = created_at - interval '1 hour' where id = $1`, [id]);
  });
  await target.database.query(
    `insert into animus.daemons (id, faculties, max_concurrent, host, pid, version, started_at, seen_at) values (gen_random_uuid(), '{"engineer": {}}', 2, 'h', 1, '0', animus.now(), animus.now())`,
  );
  const asked = await openTransaction(target.database, async (tx) => {
    expect(await tx.query('select items, locked from animus.unclaimed_work()')).toEqual([{ items: 1, locked: false }]);
  });
  const { claimed } = await round();
  await asked.end('commit');
  expect(claimed).toEqual([id]);
});
