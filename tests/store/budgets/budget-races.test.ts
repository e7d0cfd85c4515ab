/** Promise: whatever happens at once under several limits, none is passed, nothing deadlocks, and nothing stays held. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { patientDatabase } from '../../../src/store/sql/patient-database.ts';
import { createTurnKeeper } from '../../../src/store/transcript/budgeted-turns.ts';
import { beginHeld, beginLimited, limit, recordCost } from '../../support/budgets.ts';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();

/** Repeatable numbers from 0 to 1. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** One focus after the other, whose turns are recorded, given back, or lost, until a limit is used up. Returns what was paid at most. */
async function spend(db: Database, daemon: string, faculty: string, random: () => number): Promise<number> {
  let paid = 0;
  for (;;) {
    const work = await beginLimited(db, faculty, { daemon });
    for (let turn = 1; turn <= 4; turn++) {
      const most = 0.01 + 0.05 * random();
      const held = await beginHeld(db, work, turn, most, 100);
      if (held.permit === 'budget') return paid;
      if (held.permit === 'budget_busy') continue;
      const chance = random();
      if (chance < 0.1) {
        await db.query('select animus.give_back_turn($1, $2, $3)', [work.key.focusId, work.key.leaseToken, turn]);
        break;
      }
      if (chance < 0.2) {
        paid += most;
        await db.query(`select animus.fail_work($1, $2, '{"message": "lost"}')`, [work.id, work.leaseToken]);
        break;
      }
      const cost = Math.round(most * random() * 1e6) / 1e6;
      paid += cost;
      await recordCost(db, work, turn, cost, 10);
    }
    if (random() < 0.2) await db.query('select animus.settle_budgets($1)', [daemon]);
    if (random() < 0.1) await db.query('select animus.return_slices($1, true)', [daemon]);
  }
}

test('six daemons under four limits, with holds that are given back, settled and lost', async () => {
  const { database } = target;
  const faculties = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}${randomUUID().slice(0, 8)}`);
  await limit(database, 'appliance', null, 3, { period: 'day', onExceeded: 'die' });
  await limit(database, 'appliance', null, 3.5, { period: 'month', onExceeded: 'die' });
  for (const name of faculties) {
    await limit(database, 'faculty', name, 100_000, { period: 'day', unit: 'tokens', onExceeded: 'die' });
    await limit(database, 'faculty', name, 0.8, { period: 'month', onExceeded: 'die' });
  }
  const sums = await Promise.all(
    Array.from({ length: 6 }, (_, n) => {
      const db = patientDatabase(target.open({ poolSize: 2 }), { clock: systemClock, forMs: 60_000 });
      return spend(db, randomUUID(), faculties[n]!, generator(20261122 + n));
    }),
  );
  const paid = sums.reduce((sum, one) => sum + one, 0);
  // Items that were left in the middle of a turn are charged in full once their leases have changed hands.
  await database.query(
    `update animus.work_items set lease_token = animus.draw_token() where state in ('claimed', 'running')`,
  );
  await database.query('select animus.settle_budgets($1)', [randomUUID()]);
  await database.query(`update animus.budget_slices set used_at = used_at - interval '1 hour'`);
  await database.query('select animus.return_slices($1)', [randomUUID()]);
  const accounts = await database.query<{ scope: string; period: string; unit: string; spent: number; held: number }>(
    'select scope, period, unit, spent::float8, held::float8 from animus.budget_accounts',
  );
  const [left] = await database.query(
    'select (select count(*) from animus.budget_holds)::int as holds, (select count(*) from animus.budget_slices)::int as slices',
  );
  expect(left).toEqual({ holds: 0, slices: 0 });
  const day = accounts.find(({ scope, period }) => scope === 'appliance' && period === 'day')!;
  expect(day.spent).toBeLessThanOrEqual(3);
  expect(day.spent).toBeGreaterThanOrEqual(paid - 1e-6);
  expect(day.spent).toBeGreaterThan(2.5);
  for (const account of accounts) {
    expect(account.held).toBe(0);
    if (account.unit === 'usd') expect(account.spent).toBeLessThanOrEqual(account.scope === 'faculty' ? 0.8 : 3.5);
  }
});

test('a turn whose beginning the server has lost is found missing, together with those that are kept', async () => {
  const { database } = target;
  await database.query('delete from animus.budget_limits');
  const name = `f${randomUUID()}`;
  await limit(database, 'item', name, 1);
  const [kept, lost] = [await beginLimited(database, name), await beginLimited(database, name)];
  for (const work of [kept, lost]) await beginHeld(database, work, 1, 0.1);
  await database.query('delete from animus.turns where focus_id = $1', [lost.key.focusId]);
  const keep = createTurnKeeper(database);
  expect(await Promise.all([keep(kept.key.focusId, 1), keep(lost.key.focusId, 1)])).toEqual([true, false]);
});
