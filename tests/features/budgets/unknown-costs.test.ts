/** Promise: a cost that is not known is nowhere shown as nothing, and a sum without it says so. */
import { beforeAll, describe, expect, test } from 'vitest';
import { addUpSpend } from '../../../src/features/budgets/add-up-spend.ts';
import { answeredTurn, recordSideCall, recordTurn } from '../../../src/store/transcript/turns.ts';
import { commandSite } from '../../cli/work/command-site.ts';
import { beginFocus, type FocusedWork } from '../../support/begun-focus.ts';
import { beginTurn } from '../../support/begun-turn.ts';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();
const { animus } = commandSite(target);
const ANSWER = {
  provider: 'test',
  model: 'm',
  responseId: null,
  content: [],
  stopReason: 'end_turn',
  rawStopReason: null,
  cutToolCalls: [],
  usage: { input: 1000, output: 10, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
  timeToFirstTokenMs: null,
  durationMs: 0,
} as const;

/** An item with turns of these costs in USD. */
async function worked(...costs: readonly (number | null)[]): Promise<FocusedWork> {
  const work = await beginFocus(target.database);
  for (const [index, usd] of costs.entries()) {
    await beginTurn(target.database, work.key, index + 1, 0);
    await recordTurn(target.database, work.key, answeredTurn(index + 1, ANSWER), ANSWER, usd);
  }
  return work;
}

let unknown: FocusedWork;
let partly: FocusedWork;
let known: FocusedWork;
let free: FocusedWork;

beforeAll(async () => {
  unknown = await worked(null, null);
  partly = await worked(0.25, null);
  known = await worked(0.5);
  free = await worked(0);
  await recordSideCall(target.database, unknown.key, ANSWER, null);
});

const text = async (...argv: string[]) => (await animus(argv)).stdout;
const json = async (...argv: string[]) => JSON.parse(await text(...argv, '--json'));
const short = ({ id }: FocusedWork) => id.slice(-12);

test('work list and show say «unknown» and «at least», and JSON has null', async () => {
  const list = await text('work', 'list');
  const costOf = (work: FocusedWork) =>
    new RegExp(`^${short(work)}.*? (unknown|at least \\S+|\\$\\S+|-) +\\S.* \\(no desc`, 'm').exec(list)?.[1];
  expect([unknown, partly, known, free].map(costOf)).toEqual(['unknown', 'at least $0.2500', '$0.5000', '$0.00']);
  const { items } = await json('work', 'list');
  const costs = new Map(
    items.map((item: Record<string, unknown>) => [item['id'], [item['cost_usd'], item['unpriced_calls']]]),
  );
  expect([unknown, partly, known, free].map(({ id }) => costs.get(id))).toEqual([
    [null, 3],
    [0.25, 1],
    [0.5, 0],
    [0, 0],
  ]);
  expect(await text('work', 'show', unknown.id)).toMatch(/cost +unknown {2}2 turns/);
  expect(await text('work', 'show', unknown.id)).toMatch(/turn 1 .* cost unknown/);
  expect(await text('work', 'show', partly.id)).toMatch(/cost +at least \$0\.2500 {2}2 turns/);
  expect(await text('work', 'show', free.id)).toMatch(/cost +\$0\.00 {2}1 turn/);
  expect(await json('work', 'show', unknown.id)).toMatchObject({
    item: { cost_usd: null, unpriced_calls: 3 },
    foci: [{ turns: [{ cost_usd: null }, { cost_usd: null }] }],
  });
});

test('the history and the events keep it apart from nothing', async () => {
  const ended = await worked(null);
  await target.database.query(`select animus.complete_work($1, $2, '{}')`, [ended.id, ended.leaseToken]);
  const [row] = await target.database.query<{ facts: Record<string, unknown> }>(
    `select animus.read_events($1) as facts`,
    [ended.id],
  );
  expect(row!.facts).toMatchObject({ costUsd: null, unpricedCalls: 1, turns: [{ costUsd: null }] });
  await target.database.query(`select animus.pack_items(array[$1::uuid], now() + interval '1 day')`, [ended.id]);
  expect(await target.database.query('select from animus.turns where focus_id = $1', [ended.key.focusId])).toEqual([]);
  expect(await json('work', 'show', ended.id)).toMatchObject({
    item: { cost_usd: null },
    foci: [{ turns: [{ cost_usd: null }] }],
  });
});

// Before and after the calls are added up.
describe.each([
  ['calls', false],
  ['sums', true],
])('spend and status, from %s', (_, added) => {
  beforeAll(async () => {
    if (added) await addUpSpend(target.database, 1000);
  });

  test('have sums that say what they are without', async () => {
    const spend = await animus(['spend', '--by', 'faculty']);
    expect(spend.stdout).toMatch(new RegExp(`${unknown.faculty} +3 .* unknown\\n`));
    expect(spend.stdout).toMatch(new RegExp(`${partly.faculty} +2 .* at least \\$0\\.2500\\n`));
    expect(spend.stdout).toMatch(/Spent +at least \$0\.7500 in 8 calls/);
    expect(spend.stderr).toContain('the cost of 5 calls is not known: the model has no price');
    const { rows, total } = await json('spend', '--by', 'faculty');
    const sumOf = ({ faculty }: FocusedWork) => rows.find((row: Record<string, unknown>) => row['faculty'] === faculty);
    expect(sumOf(unknown)).toMatchObject({ usd: null, unpriced_calls: 3, calls: 3 });
    expect(sumOf(partly)).toMatchObject({ usd: 0.25, unpriced_calls: 1 });
    expect(sumOf(free)).toMatchObject({ usd: 0, unpriced_calls: 0 });
    // The dearest first: what is not known is not the dearest.
    expect(rows[0]).toMatchObject({ usd: 0.5 });
    expect(total).toMatchObject({ usd: 0.75, unpriced_calls: 5 });
    const status = await text('status');
    expect(status).toMatch(/Spent +at least \$0\.7500 today in 8 calls/);
    expect(status).toMatch(new RegExp(`${short(unknown)} .* unknown`));
    expect((await json('status')).spend_today).toContainEqual(
      expect.objectContaining({ faculty: unknown.faculty, usd: null, unpriced_calls: 3 }),
    );
  });

  test('of items and roots, too', async () => {
    expect(await text('spend', 'items')).toMatch(new RegExp(`${short(unknown)} .* unknown `));
    const { roots } = await json('spend', '--by', 'root');
    expect(roots.find((root: Record<string, unknown>) => root['id'] === unknown.id)).toMatchObject({
      usd: null,
      unpriced_calls: 3,
    });
  });
});
