/** Promise: one decision is about all work that waits for a limit, adds to what holds then, and says what holds now and what goes on. */

import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { readInbox } from '../../../src/operations/asked.ts';
import { decidedBudget } from '../../../src/operations/decided-budget.ts';
import { approve } from '../../../src/store/work/decide.ts';
import type { FocusedWork } from '../../support/begun-focus.ts';
import { beginHeld, limit, takeUp } from '../../support/budgets.ts';
import { clearWork } from '../../support/clear-work.ts';
import { testDatabase } from '../../support/database.ts';
import { statesOf, workAsking, workBehind } from '../../support/limited-work.ts';

const target = testDatabase();
const db = () => target.database;
beforeEach(async () => {
  await clearWork(db());
  await db().query('delete from animus.budget_limits; delete from animus.budget_accounts');
});

const behind = (amount: number, spent: number, needed: readonly number[]) => workBehind(db(), amount, spent, needed);
const asking = (name: string, usd: number) => workAsking(db(), name, usd);
const states = (items: readonly FocusedWork[]) => statesOf(db(), items);
const entries = () => readInbox(db(), 100);

async function holds(name: string): Promise<number> {
  const [row] = await db().query<{ amount: number }>(
    `select amount::float8 as amount from animus.list_budgets() where subject = $1`,
    [name],
  );
  return row!.amount;
}

/** Begins the turn for which an item has waited. */
async function goOn({ id, faculty: name }: FocusedWork, usd: number) {
  return beginHeld(db(), await takeUp(db(), id, name, randomUUID()), 1, usd);
}

describe('an approval', () => {
  test('lets all go on that fits, says so, and asks anew about the raised limit for the rest', async () => {
    const { name, items } = await behind(0.5, 0.48, [0.03, 0.3, 0.05]);
    const [entry] = await entries();
    await approve(db(), entry!.work_item_id!, { ask: entry!.ask_id, hash: entry!.hash, input: '{"add": 0.1}' });
    expect(await decidedBudget(db(), entry!.ask_id)).toMatchObject({
      scope: 'faculty',
      subject: name,
      unit: 'usd',
      period: 'day',
      amount: 0.6,
      items: 2,
      work_items: [items[0]!.id, items[2]!.id].toSorted(),
      waiting: 1,
    });
    expect(await states(items)).toEqual(['queued', 'waiting', 'queued']);
    const [left] = await entries();
    expect(left).toMatchObject({
      work_item_id: items[1]!.id,
      request: { amount: 0.6, base: 0.5, used: 0.48, needed: 0.3, reason: expect.stringContaining('limit of 0.6 USD') },
    });
    expect(left!.ask_id).not.toBe(entry!.ask_id);
    expect(await goOn(items[0]!, 0.03)).toMatchObject({ permit: 'go' });
    const decided = await db().query(
      'select work_item_id, action, ask_id from animus.decisions where ask_id = $1 order by id',
      [entry!.ask_id],
    );
    expect(decided).toHaveLength(4);
  });

  test('adds to the limit that holds when it is given, however often', async () => {
    const { name, items } = await behind(0.04, 0.04, [0.003, 0.008]);
    const [first, second] = items as [FocusedWork, FocusedWork];
    await db().query(`select animus.approve($1, p_input => '{"add": 0.003}')`, [first.id]);
    expect(await holds(name)).toBe(0.043);
    await db().query(`select animus.approve($1, p_input => '{"add": 0.005}')`, [second.id]);
    expect(await holds(name)).toBe(0.048);
    await db().query(`select animus.cancel_work(id) from animus.work_items where state = 'queued'`);
    const { id } = await asking(name, 0.1);
    await expect(db().query(`select animus.approve($1, p_input => '{"amount": 0.045}')`, [id])).rejects.toThrow(
      'must be above the present one, 0.048 USD',
    );
    await expect(db().query(`select animus.approve($1, p_input => '{"add": 0.01}')`, [id])).rejects.toThrow(
      '0.058 USD is still too low: the present limit is 0.048 USD, 0.04 spent so far, and the next turn may cost 0.1: give {"add": 0.092} or more',
    );
    await db().query(`select animus.approve($1, p_input => '{"amount": 0.2}')`, [id]);
    expect(await holds(name)).toBe(0.2);
  });

  test('without an amount raises the limit by what it was, as often as the dearest next turn needs', async () => {
    const { name, items } = await behind(0.5, 0.48, [0.03, 1.2]);
    await approve(db(), items[0]!.id, {});
    expect(await holds(name)).toBe(2);
    expect(await states(items)).toEqual(['queued', 'queued']);
  });

  test('that is given a second time is refused, with who has decided and the limit that holds', async () => {
    const { name, items } = await behind(0.5, 0.48, [0.03, 0.05]);
    const [entry] = await entries();
    const decision = { ask: entry!.ask_id, hash: entry!.hash, input: '{"add": 0.1}' };
    await approve(db(), items[0]!.id, decision);
    for (const { id } of items) {
      await expect(approve(db(), id, decision)).rejects.toThrow(
        /has been decided: approve by .* at .*; the limit of 0\.6 USD for faculty .* holds now/,
      );
    }
    expect(await holds(name)).toBe(0.6);
  });

  test('of work that still waits is refused under the id of before the raise', async () => {
    const { name, items } = await behind(0.5, 0.48, [0.03, 0.3]);
    const [entry] = await entries();
    await approve(db(), items[0]!.id, { ask: entry!.ask_id, input: '{"add": 0.1}' });
    await expect(approve(db(), items[1]!.id, { ask: entry!.ask_id, input: '{"add": 1}' })).rejects.toThrow(
      /has been decided: approve by .*; the limit of 0\.6 USD/,
    );
    expect(await holds(name)).toBe(0.6);
  });

  test('is refused with the same words when all of it has asked anew since', async () => {
    const { name, items } = await behind(0.5, 0.48, [0.03]);
    const [entry] = await entries();
    await approve(db(), items[0]!.id, { ask: entry!.ask_id, input: '{"add": 0.1}' });
    await db().query(
      'update animus.waits set ask_id = gen_random_uuid(), resolved_at = null, result = null where ask_id = $1',
      [entry!.ask_id],
    );
    await expect(approve(db(), items[0]!.id, { ask: entry!.ask_id, input: '{"add": 1}' })).rejects.toThrow(
      /has been decided: approve by .* at .*; the limit of 0\.6 USD for faculty .* holds now/,
    );
    expect(await holds(name)).toBe(0.6);
  });

  test('by two people at once raises the limit once, whichever items they name', async () => {
    const { name, items } = await behind(0.5, 0.48, [0.03, 0.05, 0.04, 0.025]);
    const all = await Promise.allSettled(
      items.map(({ id }) =>
        target.open({ poolSize: 1 }).query(`select animus.approve($1, p_input => '{"add": 0.1}')`, [id]),
      ),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await holds(name)).toBe(0.6);
    expect(await states(items)).toEqual(Array.from(items, () => 'queued'));
  });

  test('is refused where the limit was changed since it was shown', async () => {
    const { name, items } = await behind(0.5, 0.48, [0.03]);
    await limit(db(), 'faculty', name, 0.505, { period: 'day' });
    // Somebody else has set the same amount for another faculty.
    const other = `other-${name}`;
    await limit(db(), 'faculty', other, 0.505, { period: 'day' });
    await db().query(`update animus.budget_limits set set_by = 'mallory' where faculty = $1`, [other]);
    await expect(approve(db(), items[0]!.id, { input: '{"add": 1}' })).rejects.toThrow(
      /the limit of 0\.505 USD for faculty .* applies now \((?!mallory).*\), not the one of 0\.5 USD/,
    );
    // The sweep asks anew.
    await db().query('select animus.wake_budgets()');
    expect(await entries()).toMatchObject([{ request: { amount: 0.505 } }]);
    await approve(db(), items[0]!.id, { input: '{"add": 1}' });
    expect(await holds(name)).toBe(1.505);
  });

  test('is refused with who has set the limit of each item of a faculty', async () => {
    const name = `f${randomUUID()}`;
    const setBy = (who: string, faculty: string) =>
      db().query('update animus.budget_limits set set_by = $1 where faculty = $2', [who, faculty]);
    await limit(db(), 'item', name, 0.01);
    const { id } = await asking(name, 0.02);
    await limit(db(), 'item', name, 0.015);
    await setBy('alice', name);
    await limit(db(), 'item', `other-${name}`, 0.015);
    await setBy('mallory', `other-${name}`);
    await expect(approve(db(), id, { input: '{"add": 1}' })).rejects.toThrow(/applies now \(alice, .*\), not the one/);
  });

  test('decides about the others when the item with which it was shown was cancelled', async () => {
    const { items } = await behind(0.5, 0.48, [0.03, 0.05]);
    const [entry] = await entries();
    await db().query('select animus.cancel_work($1)', [items[0]!.id]);
    expect(await entries()).toMatchObject([{ work_item_id: items[1]!.id, ask_id: entry!.ask_id, items: 1 }]);
    await approve(db(), entry!.work_item_id!, { ask: entry!.ask_id, hash: entry!.hash });
    expect(await states(items)).toEqual(['cancelled', 'queued']);
  });

  test('lets work go on where no limit applies any more, and raises nothing', async () => {
    const { name, items } = await behind(0.5, 0.48, [0.03]);
    await db().query(`select animus.remove_budget('faculty', $1, 'day', 'usd')`, [name]);
    const ask = await approve(db(), items[0]!.id, {});
    expect(await decidedBudget(db(), ask)).toMatchObject({ amount: null, items: 1, waiting: 0 });
    expect(await states(items)).toEqual(['queued']);
    expect(await db().query('select from animus.budget_limits')).toEqual([]);
  });

  test('with four eyes is refused to whoever has caused any of the work that waits, and names that work', async () => {
    const { items } = await behind(0.5, 0.48, [0.03, 0.05]);
    await db().query(
      `update animus.foci set faculty_snapshot = '{"permissions": {"fourEyes": true}}', settings_id = null where work_item_id = any ($1)`,
      [items.map(({ id }) => id)],
    );
    await db().query(
      `update animus.work_items set submitted_by = case when id = $1 then session_user::text else 'another' end where id = any ($2)`,
      [items[1]!.id, items.map(({ id }) => id)],
    );
    await expect(approve(db(), items[0]!.id, {})).rejects.toThrow(
      new RegExp(`has submitted work item ${items[1]!.id} or written to it, and its faculty asks for four eyes`),
    );
    expect(await states(items)).toEqual(['waiting', 'waiting']);
  });
});
