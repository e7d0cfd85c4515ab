/** Promise: however much work waits for a limit, a denial says how much of it has ended, and the entry stays for what is left. */

import { expect, test } from 'vitest';
import { howToDecide } from '../../../src/features/conversations/session/typed-decision.ts';
import { readInbox } from '../../../src/operations/asked.ts';
import { run } from '../../cli/run-cli.ts';
import { testDatabase } from '../../support/database.ts';
import { workBehind } from '../../support/limited-work.ts';

const target = testDatabase();
const db = () => target.database;

/** What a command prints, in one line. */
async function animus(...argv: string[]): Promise<string> {
  const { stdout, stderr } = await run(argv, { env: { DATABASE_URL: target.connectionString } });
  return `${stdout}${stderr}`.replaceAll(/\s+/g, ' ');
}

/** Copies of an item that waits, with its focus and its wait. */
async function copyWaiting(id: string, count: number) {
  const columns = { work_items: 'id', foci: 'work_item_id', waits: 'work_item_id' };
  await db().transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(
      `create temp table copies on commit drop as
         select i.id as work_item_id, i.id as root_id, i.focus_id, jsonb_build_object('id', i.id, 'root_id', i.id) as work_items,
                jsonb_build_object('id', i.focus_id, 'work_item_id', i.id) as foci, jsonb_build_object('focus_id', i.focus_id, 'work_item_id', i.id) as waits
           from (select gen_random_uuid() as id, gen_random_uuid() as focus_id from generate_series(1, $1::int)) i`,
      [count],
    );
    for (const [table, column] of Object.entries(columns)) {
      await tx.query(
        `insert into animus.${table} select (jsonb_populate_record(null::animus.${table}, to_jsonb(o) || c.${table})).*
           from animus.${table} o, copies c where o.${column} = $1`,
        [id],
      );
    }
  });
}

test('a denial ends 1,000 items at once, and the next one the rest', async () => {
  const { items } = await workBehind(db(), 0.5, 0.48, [0.03]);
  await copyWaiting(items[0]!.id, 1002);
  const [entry] = await readInbox(db(), 10);
  const how = howToDecide(entry!);
  expect(how).toContain(' for all 1003 work items that wait for this limit; n ends 1,000 of them;');
  const inbox = await animus('inbox');
  expect(inbox).toContain(
    '1,003 work items wait for this limit, and a decision is about all of them; a denial ends 1,000 at once: ',
  );
  const denied = await animus('work', 'deny', entry!.work_item_id!, '--note', 'enough');
  expect(denied).toContain('; 1,000 work items end: ');
  expect(denied).toContain('; 3 work items still wait for it: animus inbox');
  const [left] = await readInbox(db(), 10);
  expect(left).toMatchObject({ items: 3, ask_id: entry!.ask_id });
  expect(howToDecide(left!)).toContain('; n ends all of them;');
  expect(await animus('work', 'deny', left!.work_item_id!)).toContain('; 3 work items end: ');
  expect(await readInbox(db(), 10)).toEqual([]);
});
