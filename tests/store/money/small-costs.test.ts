import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { addUpSpend } from '../../../src/features/budgets/add-up-spend.ts';
import { readSpend } from '../../../src/features/budgets/spend.ts';
import { listBudgets } from '../../../src/features/budgets/store.ts';
import { beginHeld, beginLimited, recordCost, settled } from '../../support/budgets.ts';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();

test('small costs are exact: a hundred turns of 0.00000045, and an embedding of 24 tokens, also under a limit', async () => {
  const db = target.database;
  await db.query(`select animus.set_budget('appliance', null, 'month', 'usd', 1)`);
  await db.query('select animus.settle_budgets($1)', [randomUUID()]);
  const work = await beginLimited(db, `f${randomUUID()}`);
  for (let turn = 1; turn <= 100; turn++) {
    expect(await beginHeld(db, work, turn, 0.0000009)).toMatchObject({ permit: 'go' });
    await recordCost(db, work, turn, 0.00000045);
  }
  await db.query(`select animus.charge_embedding('{"provider": "e", "model": "m", "tokens": 24, "cost_usd": 4.8e-7}')`);
  const read = async () => (await readSpend(db, ['faculty'], { since: '2026-01-01', until: null }, 10)).rows;
  const expected = [
    { faculty: work.faculty, usd: 0.000045, calls: 100 },
    { faculty: '(memory)', usd: 4.8e-7, calls: 1 },
  ];
  expect(await read()).toMatchObject(expected);
  await addUpSpend(db, 1000);
  expect(await read()).toMatchObject(expected);
  const [limit] = await listBudgets(db);
  expect(limit).toMatchObject({ spent: 0.00004548, held: 0 });
  expect(await settled(db, 'appliance', '')).toBe(0.00004548);
});
