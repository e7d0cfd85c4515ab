/** Promise: the commands show work that waits for one limit once, and say of a decision which limit holds now and what goes on. */
import { beforeEach, expect, test } from 'vitest';
import { parkWork } from '../../../src/store/transcript/waits.ts';
import { run } from '../../cli/run-cli.ts';
import { beginHeld, beginLimited, limit } from '../../support/budgets.ts';
import { clearWork } from '../../support/clear-work.ts';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();
const animus = (...argv: string[]) => run(argv, { env: { DATABASE_URL: target.connectionString } });
const short = (id: string) => id.slice(-12);

beforeEach(async () => {
  await clearWork(target.database);
  await target.database.query('delete from animus.budget_limits; delete from animus.budget_accounts');
});

/** Items whose next turns cost so much, under a limit of 0.5 USD a day. */
async function waiting(...needed: readonly number[]): Promise<string[]> {
  const { database } = target;
  await limit(database, 'faculty', 'clerk', 0.5, { period: 'day' });
  const ids: string[] = [];
  for (const usd of needed) {
    const work = await beginLimited(database, 'clerk');
    expect(await beginHeld(database, work, 1, usd)).toMatchObject({ action: 'wait' });
    await parkWork(database, work);
    ids.push(work.id);
  }
  return ids;
}

test('the inbox has one entry for seven items, and an approval says what holds now and what goes on', async () => {
  const ids = await waiting(...Array.from({ length: 6 }, () => 0.6), 40);
  const { stdout: inbox } = await animus('inbox');
  expect(inbox.match(/needs more budget/g)).toHaveLength(1);
  expect(inbox).toContain('items    7 work items wait for this limit, and a decision is about all of them: ');
  expect(inbox).toContain(`${ids.slice(0, 5).map(short).join(', ')} and 2 more`);
  expect(inbox.match(/work approve/g)).toHaveLength(1);
  const { stdout: full } = await animus('inbox', '--full');
  expect(full).toContain(short(ids[6]!));
  expect((await animus('status')).stdout).toMatch(/budget for 7 work items: the limit of 0\.5 USD/);

  const approved = await animus('work', 'approve', ids[2]!, '--input', '{"add": 0.25}');
  expect(approved).toMatchObject({ code: 0 });
  const said = approved.stdout.replaceAll(/\s+/g, ' ');
  expect(said).toMatch(/the limit of faculty clerk, per day is \$0\.75 now, for this day, which ends in /);
  expect(said).toContain('; 6 work items go on: ');
  expect(said).toContain('and 1 more; 1 work item still waits for it: animus inbox');
  const again = await animus('work', 'approve', ids[6]!, '--input', '{"amount": 0.7}');
  expect(again.code).not.toBe(0);
  expect(again.stderr).toContain('must be above the present one, 0.75 USD');
  const { stdout: json } = await animus('work', 'deny', ids[6]!, '--json');
  expect(JSON.parse(json)).toMatchObject({
    denied: true,
    budget: { scope: 'faculty', subject: 'clerk', amount: 0.75, items: 1, work_items: [ids[6]], waiting: 0 },
  });
});

test('a second approval exits with who has decided and what holds', async () => {
  const [first] = await waiting(0.6, 0.6);
  const { groups } = JSON.parse((await animus('inbox', '--json')).stdout) as { groups: { ask_ids: string[] }[] };
  const ask = groups[0]!.ask_ids[0]!;
  expect((await animus('work', 'approve', first!, '--ask', ask)).code).toBe(0);
  expect(await animus('work', 'approve', first!, '--ask', ask)).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(
      /has been decided: approve by .*; the limit of 1 USD for faculty clerk on .* holds now/,
    ),
  });
});
