/** Promise: work that waits for one limit asks once, and a denial is one about all of it. */

import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { decideAll, readGroups } from '../../../src/features/approvals/store.ts';
import { readAsked, readInbox } from '../../../src/operations/asked.ts';
import { decidedBudget } from '../../../src/operations/decided-budget.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { whyWaiting } from '../../../src/store/views/waiting.ts';
import { approve, deny } from '../../../src/store/work/decide.ts';
import type { FocusedWork } from '../../support/begun-focus.ts';
import { beginHeld, limit, takeUp } from '../../support/budgets.ts';
import { clearWork } from '../../support/clear-work.ts';
import { testDatabase } from '../../support/database.ts';
import { statesOf, workAsking, workBehind } from '../../support/limited-work.ts';

const target = testDatabase();
const db = () => target.database;
const faculty = () => `f${randomUUID()}`;
beforeEach(async () => {
  await clearWork(db());
  await db().query('delete from animus.budget_limits; delete from animus.budget_accounts');
});

const behind = (amount: number, spent: number, needed: readonly number[]) => workBehind(db(), amount, spent, needed);
const asking = (name: string, usd: number) => workAsking(db(), name, usd);
const states = (items: readonly FocusedWork[]) => statesOf(db(), items);
const entries = () => readInbox(db(), 100);

/** Begins the turn for which an item has waited. */
async function goOn({ id, faculty: name }: FocusedWork, usd: number) {
  return beginHeld(db(), await takeUp(db(), id, name, randomUUID()), 1, usd);
}

describe('the inbox', () => {
  test('has one entry for a limit, with all work that waits for it', async () => {
    const { items } = await behind(0.5, 0.48, [0.03, 0.07, 0.05]);
    const [entry, ...more] = await entries();
    expect(more).toEqual([]);
    expect(entry).toMatchObject({
      work_item_id: items[0]!.id,
      subject: 'budget',
      items: 3,
      work_items: items.map(({ id }) => id),
      // Of the dearest turn: what is suggested is enough for all.
      request: { amount: 0.5, needed: 0.07 },
    });
    expect(await readGroups(db(), 100)).toMatchObject([{ count: 1, items: 3, ask_ids: [entry!.ask_id] }]);
    // What one item waits for is shown as before, under the same id.
    expect(await readAsked(db(), items[1]!.id, 10)).toMatchObject([
      { work_item_id: items[1]!.id, ask_id: entry!.ask_id, hash: entry!.hash, items: 3 },
    ]);
    const [status] = await db().query<{ asks: unknown }>(`select animus.asks_status() -> 'asks' as asks`);
    expect(status!.asks).toMatchObject({ waiting: 1, first: [{ items: 3 }] });
  });

  test('has an entry for each limit of a single item, and one for each of several limits', async () => {
    const name = faculty();
    await limit(db(), 'item', name, 0.01);
    await asking(name, 0.02);
    await asking(name, 0.02);
    await behind(0.5, 0, [0.6]);
    await behind(0.5, 0, [0.6]);
    expect((await entries()).map(({ items }) => items)).toEqual([1, 1, 1, 1]);
  });

  test('shows of an entry only what its reader may see', async () => {
    const { items } = await behind(0.5, 0.48, [0.03, 0.07]);
    await db().query(`update animus.work_items set submitted_by = 'person:eve' where id = $1`, [items[1]!.id]);
    const [entry] = await entries();
    const [other, own] = items.map(({ id }) => id) as [string, string];
    const asEve = <T>(read: (tx: Queryable) => Promise<T>) =>
      db().transaction(async (tx) => {
        await tx.query(`select animus.act_as('eve')`);
        return read(tx);
      });
    const hers = [{ work_item_id: own, items: 1, work_items: [own], request: { needed: 0.07 } }];
    expect(await asEve((tx) => readInbox(tx, 100))).toMatchObject(hers);
    expect(await asEve((tx) => readAsked(tx, own, 100))).toMatchObject(hers);
    expect(await asEve((tx) => readAsked(tx, other, 100))).toEqual([]);
    expect(await asEve((tx) => readGroups(tx, 100))).toMatchObject([{ count: 1, items: 1 }]);
    // Each of them says what it waits for, and no more of the others than that the limit is used up.
    for (const id of [other, own]) {
      const why = await whyWaiting(db(), id);
      expect(why).toMatchObject({ reason: 'budget', who: 'operator' });
      expect(JSON.stringify(why)).not.toContain(id === own ? other : own);
    }
    await approve(db(), other, { input: '{"add": 0.1}' });
    await expect(asEve((tx) => decidedBudget(tx, entry!.ask_id))).rejects.toThrow(/may not act as an operator/);
  });
});

describe('a denial', () => {
  test('is one about all that waits for the limit, by the entry and in a group', async () => {
    const { items } = await behind(0.5, 0.48, [0.03, 0.05]);
    const [entry] = await entries();
    await deny(db(), items[0]!.id, { ask: entry!.ask_id, note: 'enough' });
    expect(await decidedBudget(db(), entry!.ask_id)).toMatchObject({ amount: 0.5, items: 2, waiting: 0 });
    for (const item of items) {
      expect(await goOn(item, 0.05)).toMatchObject({
        action: 'die',
        message: expect.stringMatching(/has denied more: enough$/),
      });
    }
    const again = await behind(0.5, 0.48, [0.03, 0.05]);
    const [next] = await entries();
    expect(await decideAll(db(), [next!.ask_id], 'deny', 'no')).toBe(1);
    expect(await states(again.items)).toEqual(['queued', 'queued']);
    expect(await entries()).toEqual([]);
  });

  test('of the limit of one item is one about this item', async () => {
    const name = faculty();
    await limit(db(), 'item', name, 0.01);
    const items = [await asking(name, 0.02), await asking(name, 0.02)];
    await deny(db(), items[0]!.id, {});
    expect(await states(items)).toEqual(['queued', 'waiting']);
  });
});
