/** Promise: where a faculty asks for four eyes, nobody approves what their own work asks for; anybody who may decide denies it. */
import { expect, test } from 'vitest';
import { askPerson } from '../../../src/store/transcript/approvals.ts';
import { approve, deny, grantCall } from '../../../src/store/work/decide.ts';
import { askOf } from '../../support/ask-of.ts';
import { beginFocus, type FocusedWork, recordCalls } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { ASKS, askedItem } from './asked-item.ts';

const target = testDatabase();
const db = () => target.database;
const forbidden = { code: 'db.forbidden', message: expect.stringContaining('four eyes') };

async function asking(submitter: string | null = null): Promise<FocusedWork> {
  const work = await beginFocus(db());
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

test('another operator approves it; without the setting, the submitter does', async () => {
  const other = await asking('person:ada');
  await approve(db(), other.id, { ask: await askOf(db(), other.id, 'c1') });
  const { id } = await askedItem(db());
  await approve(db(), id, { ask: await askOf(db(), id, 'c1') });
});
