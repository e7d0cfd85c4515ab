/** Promise: what many daemons share is used to the last turn, never passed, and keeps none of them waiting for another's disk. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { beginTurn } from '../../support/begun-turn.ts';
import { beginHeld, beginLimited, limit, recordCost, settled } from '../../support/budgets.ts';
import { testDatabase } from '../../support/database.ts';

const faculty = () => `f${randomUUID()}`;

describe('a shared limit', () => {
  const target = testDatabase();

  test('is used by two daemons to the last turn: what one does not need, the other gets', async () => {
    const { database } = target;
    const name = faculty();
    await limit(database, 'faculty', name, 1, { period: 'day', onExceeded: 'die' });
    const [first, second] = [await beginLimited(database, name), await beginLimited(database, name)];
    let spent = 0;
    for (let turn = 1; ; turn++) {
      const held = await beginHeld(database, turn % 2 === 0 ? first : second, Math.ceil(turn / 2), 0.03);
      if (held.permit !== 'go') {
        expect(held.permit).toBe('budget');
        break;
      }
      await recordCost(database, turn % 2 === 0 ? first : second, Math.ceil(turn / 2), 0.01);
      spent += 0.01;
    }
    expect(spent).toBeGreaterThan(0.97);
    expect(await settled(database, 'faculty', name)).toBeCloseTo(spent, 6);
  });

  test('that only turns under way keep from another says so, and lets it begin when they have ended', async () => {
    const { database } = target;
    const name = faculty();
    await limit(database, 'faculty', name, 1, { period: 'day', onExceeded: 'die' });
    const [first, second] = [await beginLimited(database, name), await beginLimited(database, name)];
    await beginHeld(database, first, 1, 0.7);
    expect(await beginHeld(database, second, 1, 0.7)).toEqual({ permit: 'budget_busy' });
    await recordCost(database, first, 1, 0.1);
    expect(await beginHeld(database, second, 1, 0.7)).toMatchObject({ permit: 'go' });
  });

  test('of a tree is charged by children of other faculties, wherever they run', async () => {
    const { database } = target;
    const [name, other] = [faculty(), faculty()];
    await limit(database, 'root', name, 1, { onExceeded: 'die' });
    const root = await beginLimited(database, name);
    const child = await beginLimited(database, other, { parent: root.id });
    expect(await beginTurn(database, child.key, 1, 0)).toBe('reserve');
    await beginHeld(database, child, 1, 0.6);
    await recordCost(database, child, 1, 0.6);
    expect(await beginHeld(database, root, 1, 0.5)).toMatchObject({ permit: 'budget' });
    expect(await beginHeld(database, root, 1, 0.4)).toMatchObject({ permit: 'go' });
    await recordCost(database, root, 1, 0.4);
    expect(await settled(database, 'root', root.id)).toBe(1);
  });

  test('that is reached under one of several limits leaves nothing held under the others', async () => {
    const { database } = target;
    const name = faculty();
    await limit(database, 'item', name, 1, { onExceeded: 'die' });
    await limit(database, 'faculty', name, 100, { period: 'day' });
    await limit(database, 'faculty', name, 100, { period: 'month', unit: 'tokens' });
    const work = await beginLimited(database, name);
    await beginHeld(database, work, 1, 0.5, 10);
    await recordCost(database, work, 1, 0.5, 7);
    expect(await beginHeld(database, work, 2, 0.6, 10)).toMatchObject({ permit: 'budget' });
    expect(
      await database.query('select turn from animus.budget_holds where focus_id = $1 group by turn', [
        work.key.focusId,
      ]),
    ).toEqual([{ turn: 1 }]);
    const [tokens] = await database.query<{ id: string }>(
      `select id from animus.budget_accounts where subject = $1 and unit = 'tokens'`,
      [name],
    );
    await database.query('delete from animus.budget_accounts where id <> $1 and subject = $2', [tokens!.id, name]);
    expect(await settled(database, 'faculty', name)).toBe(7);
  });

  test('that was lowered or raised counts for the next turn', async () => {
    const { database } = target;
    const name = faculty();
    await limit(database, 'faculty', name, 10, { period: 'day', onExceeded: 'die' });
    const work = await beginLimited(database, name);
    await beginHeld(database, work, 1, 0.5);
    await recordCost(database, work, 1, 0.5);
    await limit(database, 'faculty', name, 0.9, { period: 'day', onExceeded: 'die' });
    expect(await beginHeld(database, work, 2, 0.5)).toMatchObject({ permit: 'budget' });
    await limit(database, 'faculty', name, 1, { period: 'day' });
    expect(await beginHeld(database, work, 2, 0.5)).toMatchObject({ permit: 'go' });
  });

  test('that was removed and set again counts what was spent in between', async () => {
    const { database } = target;
    const name = faculty();
    await limit(database, 'faculty', name, 1, { period: 'day', onExceeded: 'die' });
    const work = await beginLimited(database, name);
    await beginHeld(database, work, 1, 0.2);
    await recordCost(database, work, 1, 0.2);
    expect(await database.query(`select animus.remove_budget('faculty', $1, 'day', 'usd') as n`, [name])).toEqual([
      { n: 1 },
    ]);
    expect(await beginTurn(database, work.key, 2, 0)).toBe('go');
    await recordCost(database, work, 2, 0.6);
    await limit(database, 'faculty', name, 1, { period: 'day', onExceeded: 'die' });
    expect(await beginHeld(database, work, 3, 0.3)).toMatchObject({ permit: 'budget' });
    expect(await beginHeld(database, work, 3, 0.2)).toMatchObject({ permit: 'go' });
  });

  test('never holds up a daemon that commits slowly: two daemons use their slices at the same time', async () => {
    const name = faculty();
    await limit(target.database, 'faculty', name, 100, { period: 'day' });
    const [first, second] = [await beginLimited(target.database, name), await beginLimited(target.database, name)];
    await beginHeld(target.database, first, 1, 0.1);
    await recordCost(target.database, first, 1, 0.1);
    await beginHeld(target.database, second, 1, 0.1);
    await recordCost(target.database, second, 1, 0.1);
    await target.open({ poolSize: 1 }).transaction(async (tx) => {
      expect(await beginHeld(tx, first, 2, 0.1)).toMatchObject({ permit: 'go' });
      expect(await beginHeld(target.database, second, 2, 0.1)).toMatchObject({ permit: 'go' });
    });
  });
});
