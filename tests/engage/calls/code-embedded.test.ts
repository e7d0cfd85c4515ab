/** Calls from code on the embedded database, whose session all clients share. */
import { expect, test } from 'vitest';
import { embeddedDatabase } from '../../support/database.ts';
import { testTool } from '../../support/focus.ts';
import { codeFocus, madeCalls, resultOf, runFocus } from './code-focus.ts';

const embedded = embeddedDatabase();

test('code makes calls at once, and its entries are in the order of its calls', async () => {
  const db = embedded.database;
  const act = testTool('act', async ({ n }) => ({ content: `acted ${n as number}` }));
  const focus = await codeFocus(
    db,
    async (_nested, call) => {
      const results = await Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          n % 4 === 0 ? call('ledger_append', { type: 'note', content: `note ${n}` }) : call('act', { n }),
        ),
      );
      return results.filter(({ isError }) => isError).length === 0 ? 'all done' : 'failures';
    },
    [act],
  );
  expect(await runFocus(focus)).toMatchObject({ kind: 'done' });
  expect(await resultOf(db, focus)).toMatchObject({ output: 'all done' });
  expect((await madeCalls(db, focus)).every((line) => line.endsWith('done'))).toBe(true);
  const entries = await db.query(`select content from animus.work_ledger where work_item_id = $1 order by seq`, [
    focus.key.workItemId,
  ]);
  expect(entries).toEqual(Array.from({ length: 10 }, (_, n) => ({ content: `note ${n * 4}` })));
});
