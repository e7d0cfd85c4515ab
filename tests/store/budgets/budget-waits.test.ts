/** Promise: work that has used up a limit waits for an operator or the next period, and goes on, or dies, as it was decided. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Database } from '../../../src/store/sql/database.ts';
import { parkWork } from '../../../src/store/transcript/waits.ts';
import { type FocusedWork, itemOf } from '../../support/begun-focus.ts';
import { beginHeld, beginLimited, limit, recordCost, takeUp } from '../../support/budgets.ts';
import { testDatabase } from '../../support/database.ts';
import { fakeDatabaseClock } from '../../support/database-clock.ts';

const faculty = () => `f${randomUUID()}`;

/** An item that has spent 0.8 of 1 USD and waits for 0.5 more. */
async function waiting(db: Database, name: string, scope = 'item', period = 'none'): Promise<FocusedWork> {
  await limit(db, scope, name, 1, { period });
  const work = await beginLimited(db, name);
  await beginHeld(db, work, 1, 0.8);
  await recordCost(db, work, 1, 0.8);
  expect(await beginHeld(db, work, 2, 0.5)).toMatchObject({ permit: 'budget', action: 'wait' });
  expect(await parkWork(db, work)).toBe('waiting');
  return work;
}

/** Claims the item again and begins its second turn. */
async function goOn(db: Database, { id, faculty: name }: FocusedWork) {
  const again = await takeUp(db, id, name, randomUUID());
  return { again, held: await beginHeld(db, again, 2, 0.5) };
}

describe('work that waits for more budget', () => {
  const target = testDatabase();

  test('shows in the inbox which limit would be exceeded, and goes on in the same focus when an operator has raised it', async () => {
    const { database } = target;
    const work = await waiting(database, faculty());
    const [asked] = await database.query<{ subject: string; request: object }>(
      'select subject, request from animus.inbox where work_item_id = $1',
      [work.id],
    );
    expect(asked).toMatchObject({
      subject: 'budget',
      request: { scope: 'item', subject: work.id, unit: 'usd', amount: 1, base: 1, used: 0.8, needed: 0.5 },
    });
    await database.query(`select animus.approve($1, p_input => '{"add": 0.3}')`, [work.id]);
    const { again, held } = await goOn(database, work);
    expect(held).toMatchObject({ permit: 'go' });
    expect(again.key.focusId).toBe(work.key.focusId);
    await recordCost(database, again, 2, 0.5);
    expect(await beginHeld(database, again, 3, 0.000001)).toMatchObject({ permit: 'budget', action: 'wait' });
  });

  test('is given its configured amount once more without an input, and of two approvals of one request one is refused', async () => {
    const { database } = target;
    const name = faculty();
    const first = await waiting(database, name, 'faculty', 'day');
    const second = await beginLimited(database, name);
    expect(await beginHeld(database, second, 1, 0.5)).toMatchObject({ action: 'wait' });
    await parkWork(database, second);
    const both = await Promise.allSettled(
      [first, second].map(({ id }) => database.query('select animus.approve($1)', [id])),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const [raised] = await database.query(
      `select amount::float8, expires_at is not null as expires from animus.budget_limits where faculty = $1 and origin = 'extension'`,
      [name],
    );
    expect(raised).toEqual({ amount: 2, expires: true });
  });

  test('dies with the reason when an operator denies more', async () => {
    const { database } = target;
    const work = await waiting(database, faculty());
    await database.query(`select animus.deny($1, p_note => 'enough')`, [work.id]);
    const { held } = await goOn(database, work);
    expect(held).toMatchObject({
      permit: 'budget',
      action: 'die',
      message: expect.stringMatching(/has denied more: enough$/),
    });
  });

  test('is not promised to go on by itself where the turn does not fit into the whole limit', async () => {
    const { database } = target;
    const name = faculty();
    await limit(database, 'faculty', name, 0.3, { period: 'day' });
    const work = await beginLimited(database, name);
    const held = await beginHeld(database, work, 1, 0.5);
    expect(held).toMatchObject({
      permit: 'budget',
      action: 'wait',
      message: expect.stringMatching(
        /the next turn may cost 0\.5, more than the 0\.\d+ of a new day, so that one does not help$/,
      ),
    });
    await parkWork(database, work);
    const [wait] = await database.query<{ hours: number }>(
      `select extract(epoch from deadline - created_at)::int / 3600 as hours from animus.waits where work_item_id = $1`,
      [work.id],
    );
    expect(wait).toEqual({ hours: 24 });
    // Tomorrow it waits still, and dies then if nobody has decided.
    await database.query(
      `update animus.waits set request = (request::jsonb || '{"starts": "2020-01-01"}')::json where work_item_id = $1`,
      [work.id],
    );
    expect(await database.query('select animus.wake_budgets() as n')).toEqual([{ n: 0 }]);
    await database.query(`update animus.waits set deadline = created_at where work_item_id = $1`, [work.id]);
    await database.query('select animus.resolve_due_waits()');
    const again = await takeUp(database, work.id, name, randomUUID());
    expect(await beginHeld(database, again, 1, 0.5)).toMatchObject({
      action: 'die',
      message: expect.stringMatching(/nobody has decided about it in time$/),
    });
  });

  test('goes on when a limit that its turn did not fit into is raised for the day on which that is approved', async () => {
    const { database } = target;
    const name = faculty();
    await limit(database, 'faculty', name, 0.2, { period: 'day' });
    const work = await beginLimited(database, name);
    await beginHeld(database, work, 1, 0.5);
    await parkWork(database, work);
    await database.query(
      `update animus.waits set request = (request::jsonb || '{"starts": "2020-01-01"}')::json where work_item_id = $1`,
      [work.id],
    );
    await expect(database.query(`select animus.approve($1, p_input => '{"add": 0.2}')`, [work.id])).rejects.toThrow(
      '0.4 USD is still too low: the present limit is 0.2 USD, 0 spent so far, and the next turn may cost 0.5',
    );
    await database.query('select animus.approve($1)', [work.id]);
    const again = await takeUp(database, work.id, name, randomUUID());
    expect(await beginHeld(database, again, 1, 0.5)).toMatchObject({ permit: 'go' });
    const [raised] = await database.query(
      `select amount::float8 from animus.budget_limits where faculty = $1 and origin = 'extension'`,
      [name],
    );
    expect(raised).toEqual({ amount: 0.6 });
  });

  test('refuses an approval that raises nothing', async () => {
    const { database } = target;
    const work = await waiting(database, faculty());
    await expect(database.query(`select animus.approve($1, p_input => '{"amount": 0.5}')`, [work.id])).rejects.toThrow(
      /must be above the present one, 1 USD/,
    );
    for (const input of ['{"ad": 5}', '{}', '{"add": "5"}', '{"add": 1, "amount": 5}']) {
      const misspelt = database.query('select animus.approve($1, p_input => $2::json)', [work.id, input]);
      await expect(misspelt).rejects.toThrow(/expected \{"add": N\} or \{"amount": N\}/);
    }
    expect((await itemOf(database, work.id))['state']).toBe('waiting');
  });

  test('is woken by the sweep after the limit was raised, and after it was removed', async () => {
    const { database } = target;
    const [first, second] = [await waiting(database, faculty()), await waiting(database, faculty())];
    expect(await database.query('select animus.wake_budgets() as n')).toEqual([{ n: 0 }]);
    await limit(database, 'item', first.id, 1.3);
    await database.query(`select animus.remove_budget('item', $1, 'none', 'usd')`, [second.faculty]);
    await database.query('select animus.wake_budgets()');
    expect((await goOn(database, first)).held).toMatchObject({ permit: 'go' });
    expect((await itemOf(database, second.id))['state']).toBe('queued');
  });

  test('asks again about another limit, and about the same one after it was raised, whatever was decided before', async () => {
    const { database } = target;
    const name = faculty();
    const work = await waiting(database, name, 'faculty', 'day');
    // The day is over.
    await database.query(`update animus.waits set deadline = created_at where work_item_id = $1`, [work.id]);
    await database.query('select animus.resolve_due_waits()');
    await limit(database, 'faculty', name, 50, { period: 'day' });
    await limit(database, 'item', work.id, 1);
    const { again, held } = await goOn(database, work);
    expect(held).toMatchObject({ permit: 'budget', action: 'wait', request: { scope: 'item' } });
    expect(await parkWork(database, again)).toBe('waiting');
    await database.query('select animus.deny($1)', [work.id]);
    await limit(database, 'item', work.id, 1.2);
    expect((await goOn(database, work)).held).toMatchObject({ action: 'wait', request: { amount: 1.2 } });
  });

  test('is not held up by a wait that a crash has left open', async () => {
    const { database } = target;
    const name = faculty();
    await limit(database, 'item', name, 1);
    const work = await beginLimited(database, name);
    expect(await beginHeld(database, work, 1, 2)).toMatchObject({ action: 'wait' });
    await limit(database, 'item', work.id, 5);
    expect(await beginHeld(database, work, 1, 2)).toMatchObject({ permit: 'go' });
    expect(await parkWork(database, work)).toBe('queued');
  });
});

describe('the clock', () => {
  const target = testDatabase();

  test('opens a new day and a new month at midnight UTC, whatever the time zone of the server, and wakes what waits', async () => {
    const { database } = target;
    const zoned = target.open({ poolSize: 1 });
    await zoned.query(`set time zone 'America/Los_Angeles'`);
    const clock = await fakeDatabaseClock(zoned, '2026-11-30T23:59:00Z');
    const name = faculty();
    await limit(zoned, 'faculty', name, 100, { period: 'month' });
    const work = await waiting(zoned, name, 'faculty', 'day');
    const [wait] = await database.query<{ deadline: Date }>(
      `select deadline from animus.waits where work_item_id = $1`,
      [work.id],
    );
    expect(wait!.deadline).toEqual(new Date('2026-12-01T00:00:00Z'));
    await clock.set('2026-11-30T23:59:59.9Z');
    expect(await zoned.query('select resolved from animus.resolve_due_waits()')).toEqual([{ resolved: 0 }]);
    await clock.set('2026-12-01T00:00:00.1Z');
    expect(await zoned.query('select resolved from animus.resolve_due_waits()')).toEqual([{ resolved: 1 }]);
    const { again, held } = await goOn(zoned, work);
    expect(held).toMatchObject({ permit: 'go' });
    // A turn counts for the day on which it began.
    await clock.set('2026-12-02T00:00:00Z');
    await recordCost(zoned, again, 2, 0.4);
    await zoned.query('select animus.settle_budgets($1), animus.return_slices($1, true)', [randomUUID()]);
    await clock.set('2026-12-02T01:00:00Z');
    await zoned.query('select animus.settle_budgets($1), animus.return_slices($1, true)', [randomUUID()]);
    const accounts = await zoned.query(
      `select period, starts::text, spent::float8, held::float8 from animus.budget_accounts where subject = $1 order by period, starts`,
      [name],
    );
    expect(accounts).toEqual([
      { period: 'day', starts: '2026-11-30', spent: 0.8, held: 0 },
      { period: 'day', starts: '2026-12-01', spent: 0.4, held: 0 },
      { period: 'month', starts: '2026-11-01', spent: 0.8, held: 0 },
      { period: 'month', starts: '2026-12-01', spent: 0.4, held: 0 },
    ]);
  });

  test('makes work die that nobody has decided about in a day', async () => {
    const zoned = target.open({ poolSize: 1 });
    const work = await waiting(zoned, faculty());
    await zoned.query(`update fake_clock set at = at + interval '25 hours'`);
    await zoned.query('select animus.resolve_due_waits()');
    const { held } = await goOn(zoned, work);
    expect(held).toMatchObject({
      permit: 'budget',
      action: 'die',
      message: expect.stringMatching(/nobody has decided about it in time$/),
    });
  });
});
