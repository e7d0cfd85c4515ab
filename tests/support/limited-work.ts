/** Work that waits for a limit, for tests of what people decide about it. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Database } from '../../src/store/sql/database.ts';
import { parkWork } from '../../src/store/transcript/waits.ts';
import { type FocusedWork, itemOf } from './begun-focus.ts';
import { beginHeld, beginLimited, limit, recordCost } from './budgets.ts';

/** Items of a faculty whose next turns cost so much, under a limit of its day; spent before: `spent`. */
export async function workBehind(
  db: Database,
  amount: number,
  spent: number,
  needed: readonly number[],
): Promise<{ readonly name: string; readonly items: readonly FocusedWork[] }> {
  const name = `f${randomUUID()}`;
  await limit(db, 'faculty', name, amount, { period: 'day' });
  if (spent > 0) {
    const first = await beginLimited(db, name);
    await beginHeld(db, first, 1, spent);
    await recordCost(db, first, 1, spent);
    await db.query(`select animus.complete_work($1, $2, '{}')`, [first.id, first.leaseToken]);
  }
  const items: FocusedWork[] = [];
  for (const usd of needed) items.push(await workAsking(db, name, usd));
  return { name, items };
}

/** An item of a faculty whose next turn may cost so much, and which waits because that is too much. */
export async function workAsking(db: Database, faculty: string, usd: number): Promise<FocusedWork> {
  const work = await beginLimited(db, faculty);
  expect(await beginHeld(db, work, 1, usd)).toMatchObject({ permit: 'budget', action: 'wait' });
  expect(await parkWork(db, work)).toBe('waiting');
  return work;
}

/** The states of the items, in their order. */
export async function statesOf(db: Database, items: readonly FocusedWork[]): Promise<unknown[]> {
  return Promise.all(items.map(async ({ id }) => (await itemOf(db, id))['state']));
}
