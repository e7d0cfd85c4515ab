/** Promise: whoever keeps a transaction open that changes a limit holds no connection of a daemon, and turns never end in a deadlock. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { isAnimusError } from '../../../src/core/errors/errors.ts';
import { beginHeld, beginLimited, limit, recordCost, settled } from '../../support/budgets.ts';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();

async function ended(work: Promise<unknown>): Promise<'done' | 'locked' | 'late'> {
  const end = work.then(
    () => 'done' as const,
    (error: unknown) => {
      if (isAnimusError(error, 'work.locked')) return 'locked' as const;
      throw error;
    },
  );
  const late = new Promise<'late'>((resolve) => setTimeout(resolve, 3000, 'late'));
  return Promise.race([end, late]);
}

test('a transaction that changed a limit and stays open delays nobody', async () => {
  const { database } = target;
  const name = `f${randomUUID()}`;
  const daemon = randomUUID();
  await limit(database, 'item', name, 1);
  const work = await beginLimited(database, name, { daemon });
  await beginHeld(database, work, 1, 0.1);
  await recordCost(database, work, 1, 0.1);
  await beginHeld(database, work, 2, 0.1);
  await recordCost(database, work, 2, 0.1);
  await target.open({ poolSize: 1 }).transaction(async (tx) => {
    await limit(tx, 'item', work.id, 0.5);
    expect(await ended(beginHeld(database, work, 3, 0.1))).toBe('locked');
    expect(await ended(database.query('select animus.settle_budgets($1)', [daemon]))).toBe('done');
  });
  expect(await beginHeld(database, work, 3, 0.1)).toMatchObject({ permit: 'go' });
  await target.open({ poolSize: 1 }).transaction(async (tx) => {
    await limit(tx, 'item', work.id, 0.6);
    const giveBack = 'select animus.give_back_turn($1, $2, 3)';
    expect(await ended(database.query(giveBack, [work.key.focusId, work.key.leaseToken]))).toBe('locked');
  });
  await recordCost(database, work, 3, 0.1);
  expect(await settled(database, 'item', work.id)).toBeCloseTo(0.3, 6);
});

test('a turn that finds its slice used up while another daemon collects all slices is not a deadlock', async () => {
  const { database } = target;
  const name = `f${randomUUID()}`;
  const daemon = randomUUID();
  await limit(database, 'faculty', name, 8, { period: 'day' });
  const [first, second] = [
    await beginLimited(database, name, { daemon }),
    await beginLimited(database, name, { daemon }),
  ];
  const other = await beginLimited(database, name);
  // A slice of 1, of which 0.5 are left.
  await beginHeld(database, first, 1, 0.5);
  const begun = await target.open({ poolSize: 1 }).transaction(async (tx) => {
    await beginHeld(tx, first, 2, 0.4);
    // Both wait for the slice: one has to draw another, and the other has locked the account.
    const drawing = ended(beginHeld(target.open({ poolSize: 1 }), second, 1, 0.4));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const collecting = ended(beginHeld(target.open({ poolSize: 1 }), other, 1, 7.5));
    await new Promise((resolve) => setTimeout(resolve, 50));
    return { drawing, collecting };
  });
  for (const end of await Promise.all([begun.drawing, begun.collecting])) expect(['done', 'locked']).toContain(end);
});
