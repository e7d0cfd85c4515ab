import { expect, test } from 'vitest';
import { createTurnKeeper } from '../../../src/store/transcript/budgeted-turns.ts';
import { beginHeld, beginLimited, limit, recordCost, settled } from '../../support/budgets.ts';
import { embeddedDatabase } from '../../support/database.ts';

const target = embeddedDatabase();

test('limits hold in the embedded database, too', async () => {
  const { database } = target;
  await limit(database, 'item', 'clerk', 1, { onExceeded: 'die' });
  const work = await beginLimited(database, 'clerk');
  expect(await beginHeld(database, work, 1, 0.6)).toMatchObject({ permit: 'go' });
  expect(await createTurnKeeper(database)(work.key.focusId, 1)).toBe(true);
  await recordCost(database, work, 1, 0.5);
  expect(await beginHeld(database, work, 2, 0.6)).toMatchObject({ permit: 'budget' });
  expect(await settled(database, 'item', work.id)).toBe(0.5);
});
