/** Promise: where a faculty asks for four eyes, nobody approves what their own work asks for; anybody who may decide denies it. */
import { expect, test } from 'vitest';
import { askPerson, grantsFor } from '../../../src/store/transcript/approvals.ts';
import { approve, deny, grantCall } from '../../../src/store/work/decide.ts';
import { changeWork } from '../../../src/store/work/operate.ts';
import { askOf } from '../../support/ask-of.ts';
import { beginFocus, type FocusedWork, recordCalls } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { ASKS, askedItem } from './asked-item.ts';

const target = testDatabase();
const db = () => target.database;
const forbidden = { code: 'db.forbidden', message: expect.stringContaining('four eyes') };

async function asking(submitter: string | null = null, parent: string | null = null): Promise<FocusedWork> {
  const [item] = await db().query<{ id: string }>(
    `insert into animus.work_items (faculty, parent_id) values ('f' || animus.uuid_v7(), $1) returning id`,
    [parent],
  );
  const work = await beginFocus(db(), { id: item!.id });
  if (submitter !== null)
    await db().query('update animus.work_items set submitted_by = $2 where id = $1', [work.id, submitter]);
  await recordCalls(db(), work, 1, ['c1'], 'bash');
  await askPerson(db(), work.key, 1, 'c1', 'approval', {
    ...ASKS,
    request: { ...ASKS.request, gate: 'permissions', four_eyes: true },
  });
  return work;
}

test('whoever submitted the work approves nothing and grants nothing, and may deny it', async () => {
  const { id } = await asking();
  const ask = await askOf(db(), id, 'c1');
  await expect(approve(db(), id, { ask })).rejects.toMatchObject(forbidden);
  await expect(grantCall(db(), id, { ask, scope: 'item', seconds: 60 })).rejects.toMatchObject(forbidden);
  await expect(db().query(`select animus.decide_all(array[$1::uuid], 'approve')`, [ask])).rejects.toMatchObject(
    forbidden,
  );
  await deny(db(), id, { ask });
});

test('so does whoever has written to it', async () => {
  const { id } = await asking('person:ada');
  await db().query(`select animus.say($1, 'Push it.')`, [id]);
  await expect(approve(db(), id, { ask: await askOf(db(), id, 'c1') })).rejects.toMatchObject(forbidden);
});

test('so does whoever has changed its description, or that of work above it, and nobody for another priority', async () => {
  const [top, other] = await Promise.all([asking('person:ada'), asking('person:ada')]);
  for (const { id } of [top, other])
    await db().query(
      `update animus.work_items set state = 'queued', lease_owner = null, lease_expires_at = null where id = $1`,
      [id],
    );
  const begun = await asking('person:ada', top.id);
  await db().query(`delete from animus.foci where work_item_id = $1`, [top.id]);
  await changeWork(db(), top.id, { description: 'Push it.' });
  await expect(approve(db(), begun.id, { ask: await askOf(db(), begun.id, 'c1') })).rejects.toMatchObject(forbidden);
  await changeWork(db(), other.id, { priority: 5 });
  await approve(db(), other.id, { ask: await askOf(db(), other.id, 'c1') });
});

test('another operator approves it; without the setting, the submitter does', async () => {
  const other = await asking('person:ada');
  await approve(db(), other.id, { ask: await askOf(db(), other.id, 'c1') });
  const { id } = await askedItem(db());
  await approve(db(), id, { ask: await askOf(db(), id, 'c1') });
});

test('so does whoever has written to work between it and its root', async () => {
  const top = await asking('person:ada');
  const between = await asking('person:ada', top.id);
  const { id } = await asking('person:ada', between.id);
  await db().query(`select animus.say($1, 'Push it.')`, [between.id]);
  await expect(approve(db(), id, { ask: await askOf(db(), id, 'c1') })).rejects.toMatchObject(forbidden);
});

test('a grant for the faculty, given for the work of somebody else, does not cover the own work of whoever gave it', async () => {
  const theirs = await asking('person:ada');
  await grantCall(db(), theirs.id, { ask: await askOf(db(), theirs.id, 'c1'), scope: 'faculty', seconds: 60 });
  const covering = async (submitter: string | null, fourEyes: boolean) => {
    const [item] = await db().query<{ id: string }>(
      'insert into animus.work_items (faculty) values ($1) returning id',
      [theirs.faculty],
    );
    const work = await beginFocus(db(), { id: item!.id });
    if (submitter !== null)
      await db().query('update animus.work_items set submitted_by = $2 where id = $1', [work.id, submitter]);
    await recordCalls(db(), work, 1, ['c1'], 'bash');
    return (await grantsFor(db(), work.key.focusId, 1, 'c1', null, fourEyes)).length;
  };
  expect(await covering('person:ada', true)).toBe(1);
  expect(await covering(null, true)).toBe(0);
  expect(await covering(null, false)).toBe(1);
});

test('so does whoever has written the schedule that began it, also after it is gone; somebody else approves', async () => {
  const scheduled = async (writer: string) => {
    const [schedule] = await db().query<{ name: string }>(
      `insert into animus.schedules (name, cron, faculty) values ('s' || animus.uuid_v7(), '0 3 * * *', 'f') returning name`,
    );
    // Nobody takes their name away, also not who may update the row.
    await db().query(`update animus.schedules set writers = '{}' where name = $1`, [schedule!.name]);
    if (writer !== '') {
      await db().query('alter table animus.schedules disable trigger schedules_before_write');
      await db().query('update animus.schedules set writers = $2 where name = $1', [schedule!.name, [writer]]);
      await db().query('alter table animus.schedules enable trigger schedules_before_write');
    }
    const [{ id }] = (await db().query<{ id: string }>('select animus.run_schedule($1) as id', [schedule!.name])) as [
      { id: string },
    ];
    await db().query(`update animus.work_items set submitted_by = 'the_daemon' where id = $1`, [id]);
    await db().query('delete from animus.schedules where name = $1', [schedule!.name]);
    const work = await beginFocus(db(), { id });
    await recordCalls(db(), work, 1, ['c1'], 'bash');
    await askPerson(db(), work.key, 1, 'c1', 'approval', {
      ...ASKS,
      request: { ...ASKS.request, gate: 'permissions', four_eyes: true },
    });
    return approve(db(), id, { ask: await askOf(db(), id, 'c1') });
  };
  await expect(scheduled('')).rejects.toMatchObject(forbidden);
  await scheduled('person:ada');
});
