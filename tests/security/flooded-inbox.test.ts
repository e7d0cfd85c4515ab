/** Work cannot fill the inbox of people: limits per item, tree and submitter; and one cause is one group. */

import { beforeEach, expect, test } from 'vitest';
import { decideAll, readGroups } from '../../src/features/approvals/store.ts';
import { readAsked } from '../../src/operations/asked.ts';
import { askPerson } from '../../src/store/transcript/approvals.ts';
import { approve } from '../../src/store/work/decide.ts';
import { write } from '../store/skills/written-skills.ts';
import { ASKS, askedItem, decisionsAbout } from '../store/work/asked-item.ts';
import { emptyQueue } from '../store/work/queue-driver.ts';
import { askOf } from '../support/ask-of.ts';
import { beginFocus, type FocusedWork, recordCalls } from '../support/begun-focus.ts';
import { testDatabase } from '../support/database.ts';

const pg = testDatabase();
const db = () => pg.database;
beforeEach(async () => {
  await emptyQueue(db());
  await db().query(`update animus.skill_versions set state = 'rejected' where state = 'proposed'`);
});

const names = (count: number, prefix = 'c') => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

/** Has each call ask; returns the refusals. */
async function askAll(work: FocusedWork, calls: readonly string[], kind: 'approval' | 'human' = 'approval') {
  await recordCalls(db(), work, 1, calls, 'bash');
  const asks =
    kind === 'human' ? ({ subject: 'question', request: { question: 'Why?' }, seconds: null } as const) : ASKS;
  const refused: string[] = [];
  for (const call of calls) {
    const answer = await askPerson(db(), work.key, 1, call, kind, asks);
    if (answer.refused !== null) refused.push(answer.refused);
  }
  return refused;
}

test('300 questions of an item: twenty are asked, the model is told of the others, and a decision makes room', async () => {
  const work = await beginFocus(db());
  const refused = await askAll(work, names(300), 'human');
  expect(refused).toHaveLength(280);
  expect(refused[0]).toMatch(/^this work item has 20 requests open .* that is the limit/);
  expect(await readAsked(db(), work.id)).toHaveLength(20);
  await decideAll(db(), [await askOf(db(), work.id, 'c0')], 'deny', 'no');
  expect(await askPerson(db(), work.key, 1, 'c299', 'human', ASKS)).toMatchObject({ asked: true, refused: null });
});

test('400 proposals of an item: twenty are proposed', async () => {
  const work = await beginFocus(db());
  const results = [];
  for (const name of names(400, 'flood-')) {
    results.push(
      await write(db(), work, name, { mode: 'ask' }).then(
        () => 'proposed',
        (error: Error) => error.message,
      ),
    );
  }
  expect(results.filter((result) => result === 'proposed')).toHaveLength(20);
  expect(results.at(-1)).toMatch(/the skill is not proposed: this work item has 20 requests open/);
});

test('an item with all that is below it: sixty', async () => {
  const root = await beginFocus(db());
  let asked = 0;
  for (let n = 0; n < 5; n++) {
    const child = await beginFocus(db());
    // As if it had been spawned: its triggers keep the identity of an item.
    await db().transaction(async (tx) => {
      await tx.query('set local session_replication_role = replica');
      await tx.query('update animus.work_items set root_id = $1, parent_id = $1, depth = 1 where id = $2', [
        root.id,
        child.id,
      ]);
    });
    asked += 20 - (await askAll(child, names(20))).length;
  }
  expect(asked).toBe(60);
});

test('all work of a submitter: two hundred; that of another goes on, and a budget is asked for in any case', async () => {
  const items: FocusedWork[] = [];
  for (let n = 0; n < 11; n++) items.push(await beginFocus(db()));
  await db().query(`update animus.work_items set submitted_by = 'flood' where id = any ($1)`, [
    items.map(({ id }) => id),
  ]);
  let refused: string[] = [];
  for (const item of items) refused = await askAll(item, names(20));
  expect(refused).toHaveLength(20);
  expect(refused[0]).toMatch(/^the work of this submitter has 200 requests open/);
  expect(await askAll(await beginFocus(db()), names(1))).toEqual([]);
  const budget = await db().query(
    `select animus.open_item_wait($1, $2, 'budget', 'budget', '{"scope": "item"}', 60) as opened`,
    [items[10]!.key.focusId, items[10]!.leaseToken],
  );
  expect(budget).toEqual([{ opened: true }]);
});

test('one cause is one group, however many requests it has, and none hides another', async () => {
  const flood = await askedItem(db(), names(20));
  const quiet = await askedItem(db(), ['only']);
  const groups = (await readGroups(db(), 100)).map((group) => [group.root_id, group.count, group.identical]);
  expect(groups).toEqual([
    [flood.id, 20, true],
    [quiet.id, 1, true],
  ]);
});

test('a group is denied or approved as it was seen: identical calls together, and what came later not at all', async () => {
  const work = await askedItem(db(), names(5));
  const [seen] = await readGroups(db(), 1);
  const asks = seen!.ask_ids;
  await recordCalls(db(), work, 2, ['late'], 'write_file');
  await askPerson(db(), work.key, 2, 'late', 'approval', ASKS);
  const other = await askOf(db(), work.id, 'late');
  await expect(decideAll(db(), [...asks, other], 'approve', 'yes')).rejects.toThrow(
    'only identical calls can be approved together',
  );
  await expect(decideAll(db(), asks, 'answer', 'yes')).rejects.toThrow('answer questions one by one');
  await approve(db(), work.id, { ask: asks[0]! });
  expect(await decideAll(db(), asks, 'approve', 'yes')).toBe(4);
  expect(await decideAll(db(), asks, 'deny', 'no')).toBe(0);
  expect(await decisionsAbout(db(), work.id)).toHaveLength(5);
  expect((await readAsked(db(), work.id)).map(({ ask_id: ask }) => ask)).toEqual([other]);
});
