/** Promise: a limit is one row with what is used of it from the start, 80 % of it are told once for each amount, and none lets nothing begin. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { approve } from '../../../src/store/work/decide.ts';
import { beginHeld, beginLimited, limit, recordCost } from '../../support/budgets.ts';
import { clearWork } from '../../support/clear-work.ts';
import { testDatabase } from '../../support/database.ts';
import { workAsking, workBehind } from '../../support/limited-work.ts';

const target = testDatabase();
const db = () => target.database;
const faculty = () => `f${randomUUID()}`;
beforeEach(async () => {
  await clearWork(db());
  await db().query('delete from animus.budget_limits; delete from animus.budget_accounts');
});

describe('80 % of a limit', () => {
  test('are told again after it was raised, once for each amount', async () => {
    const name = faculty();
    await limit(db(), 'faculty', name, 1, { period: 'day' });
    const work = await beginLimited(db(), name);
    const turn = async (nth: number, usd: number) => {
      const { messages, used } = await beginHeld(db(), work, nth, usd);
      await recordCost(db(), work, nth, usd);
      return { told: messages?.length, first: used?.length };
    };
    expect(await turn(1, 0.85)).toEqual({ told: 1, first: 1 });
    expect(await turn(2, 0.05)).toEqual({ told: 0, first: 0 });
    await limit(db(), 'faculty', name, 2, { period: 'day' });
    expect(await turn(3, 0.1)).toEqual({ told: 0, first: 0 });
    expect(await turn(4, 0.7)).toEqual({ told: 1, first: 1 });
    expect(await turn(5, 0.1)).toEqual({ told: 0, first: 0 });
  });
});

test('what is left of a limit is its amount without what is spent and what is held', async () => {
  const name = faculty();
  await limit(db(), 'faculty', name, 2, { period: 'day' });
  const work = await beginLimited(db(), name);
  await beginHeld(db(), work, 1, 0.5);
  await recordCost(db(), work, 1, 0.5);
  await beginHeld(db(), work, 2, 0.25);
  const [row] = await db().query<{ shown: unknown }>('select animus.budget_shown($1) as shown', [work.id]);
  expect(row!.shown).toMatchObject([{ amount: 2, spent: 0.5, held: 0.25, used: 0.75, left: 1.25 }]);
});

describe('the list of limits', () => {
  const list = () =>
    db().query(
      'select subject, amount::float8, base::float8, spent::float8, held::float8, origin, on_exceeded from animus.list_budgets() order by 1, 2',
    );

  test('has one row for a limit, also after an approval', async () => {
    const { name, items } = await workBehind(db(), 0.5, 0.48, [0.03]);
    await approve(db(), items[0]!.id, { input: '{"add": 0.25}' });
    expect(await list()).toEqual([
      { subject: name, amount: 0.75, base: 0.5, spent: 0.48, held: 0, origin: 'extension', on_exceeded: null },
    ]);
  });

  test('shows of an item whose limit was approved what is set for each item, until it has ended', async () => {
    const name = faculty();
    await limit(db(), 'item', name, 0.01);
    const { id } = await workAsking(db(), name, 0.02);
    await approve(db(), id, { input: '{"add": 0.05}' });
    expect(await list()).toMatchObject([
      { subject: id, amount: 0.06, base: 0.01, origin: 'extension', on_exceeded: 'wait' },
      { subject: name, amount: 0.01, base: 0.01, on_exceeded: null },
    ]);
    await db().query('select animus.cancel_work($1)', [id]);
    expect(await list()).toMatchObject([{ subject: name }]);
  });

  test('shows at once what is used of a new limit', async () => {
    const name = faculty();
    const work = await beginLimited(db(), name);
    await db().query(`select animus.begin_turn($1, $2, 1, 0)`, [work.key.focusId, work.leaseToken]);
    await recordCost(db(), work, 1, 0.3);
    await limit(db(), 'faculty', name, 1, { period: 'month' });
    await limit(db(), 'item', work.id, 2);
    await limit(db(), 'item', name, 3);
    expect(await list()).toMatchObject([
      { subject: work.id, amount: 2, spent: 0.3, held: 0 },
      { subject: name, amount: 1, spent: 0.3 },
      { subject: name, amount: 3, spent: null },
    ]);
    const [shown] = await db().query<{ lines: unknown }>('select animus.budget_shown($1) as lines', [work.id]);
    expect(shown!.lines).toMatchObject([
      { scope: 'faculty', spent: 0.3 },
      { scope: 'item', spent: 0.3 },
    ]);
    await limit(db(), 'faculty', name, 0.35, { period: 'month' });
    const [status] = await db().query<{ budgets: unknown }>(`select animus.budget_status() -> 'budgets' as budgets`);
    expect(status!.budgets).toMatchObject([{ subject: name, spent: 0.3, amount: 0.35 }]);
  });

  test('a limit of nothing is refused, with what to do instead', async () => {
    const name = faculty();
    await expect(limit(db(), 'faculty', name, 0, { period: 'day' })).rejects.toThrow(
      'a limit of 0 USD would let no turn begin',
    );
    await expect(limit(db(), 'appliance', null, 0, { period: 'day', unit: 'tokens' })).rejects.toThrow(
      'a limit of 0 tokens would let no turn begin',
    );
    expect(await list()).toEqual([]);
  });
});
