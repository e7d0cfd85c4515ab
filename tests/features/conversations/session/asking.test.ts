/** A limit that an answer waits for, decided in the session. */
import { expect, test } from 'vitest';
import { createAsking } from '../../../../src/features/conversations/session/asking.ts';
import { testDatabase } from '../../../support/database.ts';
import { workBehind } from '../../../support/limited-work.ts';
import { playedConsole } from '../played-console.ts';

const target = testDatabase();

test.each([
  ['y', /the limit of .* is \$\S+ now.*; 2 work items go on: /],
  ['n too much', /the limit of .* is \$0\.50\d* still; 2 work items end: /],
])('%s says what the decision of a limit did, also to other work', async (line, said) => {
  const db = target.database;
  const { items } = await workBehind(db, 0.5, 0.48, [0.03, 0.05]);
  const { console, rows } = playedConsole(500);
  const asking = createAsking(
    console,
    () => true,
    () => undefined,
  );
  await asking.look(db, items[0]!.id);
  await asking.decide(db, asking.asked!, line);
  expect(rows().join('\n')).toMatch(said);
  expect(asking.asked).toBe(null);
});
