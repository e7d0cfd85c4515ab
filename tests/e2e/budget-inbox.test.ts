/** Promise: much work that waits for one day's limit asks a person once, and one approval, given by two people at once, lets all of it go on, with two daemons. */

import { expect, it, onTestFinished } from 'vitest';
import { readInbox } from '../../src/operations/asked.ts';
import { decidedBudget } from '../../src/operations/decided-budget.ts';
import { approve } from '../../src/store/work/decide.ts';
import { makeSite, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startAnthropicServer, text } from '../support/model-server/anthropic.ts';

const pg = testDatabase();
/** At 3 and 15 USD per million tokens. */
const USAGE = { input_tokens: 2000, output_tokens: 300 };
const BILL = (2000 * 3 + 300 * 15) / 1_000_000;
const LIMIT = 0.05;
const ITEMS = 30;

const FACULTY = `[faculty]
name = "clerk"
isolation = "none"
[faculty.engage]
model = "claude-sonnet-4-5"
system_prompt = "You take notes."
max_tokens = 400
[faculty.budget]
max_usd_per_day = ${LIMIT}
`;

async function states(): Promise<Readonly<Record<string, number>>> {
  const rows = await pg.database.query<{ state: string; n: number }>(
    'select state, count(*)::int as n from animus.work_items group by state',
  );
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
}

it('27 items and one entry', async () => {
  let billed = 0;
  const server = await startAnthropicServer(() => {
    billed += 1;
    return { content: [text('Done.')], usage: USAGE };
  });
  onTestFinished(() => server.close());
  const site = makeSite({
    databaseUrl: pg.connectionString,
    modelUrl: server.url,
    config: '[daemon]\nlease_seconds = 10\npoll_seconds = 0.5\n',
    faculties: { clerk: FACULTY },
  });
  await Promise.all([startDaemon(site, ['--max-concurrent', '6']), startDaemon(site, ['--max-concurrent', '6'])]);
  await pg.database.query(
    `insert into animus.work_items (faculty, description) select 'clerk', 'note ' || i from generate_series(1, ${ITEMS}) i`,
  );
  const waiting = await eventually(
    'the limit is used up, and all else waits',
    async () => {
      const { completed = 0, waiting: parked = 0 } = await states();
      return completed + parked === ITEMS && parked > 0 ? parked : null;
    },
    120,
  );
  expect(billed * BILL).toBeLessThanOrEqual(LIMIT);
  expect(waiting).toBeGreaterThanOrEqual(26);
  const [entry, ...more] = await readInbox(pg.database, 100);
  expect(more).toEqual([]);
  expect(entry).toMatchObject({ subject: 'budget', items: waiting });

  const decision = { ask: entry!.ask_id, hash: entry!.hash, input: '{"add": 5}' };
  const decided = await Promise.allSettled(
    [0, 1].map(() => approve(pg.open({ poolSize: 1 }), entry!.work_item_id!, decision)),
  );
  expect(decided.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(decided.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { message: expect.stringContaining('has been decided: approve by') },
  });
  expect(await decidedBudget(pg.database, entry!.ask_id)).toMatchObject({ amount: 5.05, items: waiting, waiting: 0 });
  await eventually('all have ended', async () => ((await states())['completed'] === ITEMS ? true : null), 120);
  expect(billed).toBe(ITEMS);
  expect(await pg.database.query('select from animus.inbox')).toEqual([]);
}, 300_000);
