/** Promise: `animus spend` shows every call once, by whatever it is grouped, and says what it does not know. */
import { beforeAll, describe, expect, test } from 'vitest';
import { addUpSpend } from '../../../src/features/budgets/add-up-spend.ts';
import { answeredTurn, recordSideCall, recordTurn } from '../../../src/store/transcript/turns.ts';
import { commandSite } from '../../cli/work/command-site.ts';
import { beginFocus, type FocusedWork } from '../../support/begun-focus.ts';
import { beginTurn } from '../../support/begun-turn.ts';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();
const { animus } = commandSite(target);
const today = new Date().toISOString().slice(0, 10);
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

let root: FocusedWork;
let child: FocusedWork;
let login: string;

/** A tree of two items: 3 turns and a summary, $0.60, all today; before that, a sum of an earlier version. */
beforeAll(async () => {
  const db = target.database;
  root = await beginFocus(db);
  const [row] = await db.query<{ id: string; login: string }>(
    `insert into animus.work_items (faculty, parent_id) values ('helper', $1) returning id, session_user::text as login`,
    [root.id],
  );
  login = row!.login;
  // As if a daemon with a login of its own had submitted the child.
  await db.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(`update animus.work_items set submitted_by = 'daemon' where id = $1`, [row!.id]);
  });
  child = await beginFocus(db, { id: row!.id });
  for (const [work, turn, usd] of [
    [root, 1, 0.1],
    [root, 2, 0.1],
    [child, 1, 0.35],
  ] as const) {
    await beginTurn(db, work.key, turn, 0);
    await recordTurn(db, work.key, answeredTurn(turn, ANSWER), ANSWER, usd);
  }
  await recordSideCall(db, root.key, ANSWER, 0.05);
  await db.query(
    `insert into animus.spend_days (faculty, model, day, usd, input_tokens, output_tokens, calls) values ('old', 'test/m', '2026-01-31', 5, 1, 1, 2)`,
  );
});

const json = async (...argv: string[]) => JSON.parse((await animus(['spend', ...argv, '--json'])).stdout);

// Before and after the calls are added up.
describe.each([
  ['calls', false],
  ['sums', true],
])('animus spend, from %s', (_, added) => {
  beforeAll(async () => {
    if (added) await addUpSpend(target.database, 1000);
  });

  test.each([
    [
      'operation',
      [
        ['turn', 0.55, 3],
        ['summary', 0.05, 1],
      ],
    ],
    ['submitter', [['LOGIN', 0.6, 4]]],
    ['model', [['test/m', 0.6, 4]]],
    ['day', [[today, 0.6, 4]]],
    ['month', [[today.slice(0, 7), 0.6, 4]]],
  ] as const)('by %s', async (by, expected) => {
    const { rows, total } = await json('--by', by);
    expect(rows.map((each: Record<string, unknown>) => [each[by], each['usd'], each['calls']])).toEqual(
      expected.map(([value, ...rest]) => [value === 'LOGIN' ? login : value, ...rest]),
    );
    expect(total).toMatchObject({ usd: 0.6, calls: 4, input_tokens: 4000, output_tokens: 40 });
  });
});

describe('animus spend', () => {
  test('charges a child to the submitter of its root, and adds its cost to the tree', async () => {
    const { roots } = await json('--by', 'root');
    expect(roots).toMatchObject([{ id: root.id, items: 2, usd: 0.6, turns: 3, submitted_by: login }]);
  });

  test('says since when it knows operations, and shows earlier calls without them', async () => {
    const { stdout, stderr } = await animus(['spend', '--by', 'operation,month', '--since', '2026-01-01']);
    expect(stdout).toMatch(/2026-01\s+\(not known\)\s+2\s+1\s+1\s+\$5\.00/);
    expect(stdout).toMatch(/Spent\s+\$5\.60 in 6 calls, .* since 2026-01-01 \(UTC days\)/);
    expect(stderr).toContain(`recorded since ${today.slice(0, 8)}`);
  });

  test('with a limit still sums everything, and says that there is more', async () => {
    const { stdout, stderr } = await animus(['spend', '--since', '2026-01-01', '--limit', '1']);
    expect(stdout).toContain('$5.60 in 6 calls');
    expect(stderr).toContain('2 more rows');
  });

  test('of a period includes its first day and not its end', async () => {
    expect((await json('--since', '2026-01-31', '--until', '2026-02-01')).total.usd).toBe(5);
    expect((await json('--since', '2026-01-01', '--until', '2026-01-31')).total).toMatchObject({ usd: 0, calls: 0 });
    expect((await animus(['spend', '--until', '2026-01-01'])).stderr).toContain(
      'no model call from 2025-12-02 to before 2026-01-01',
    );
  });

  test.each([
    [['--by', 'facutly'], 'did you mean faculty'],
    [['--by', 'root,day'], '--by root cannot be combined with other groupings'],
    [['--since', '2026-02-01', '--until', '2026-02-01'], '--until must be a later UTC day'],
    [['items', '--slowest', '--dearest'], 'give --slowest or --dearest, not both'],
    [['items', '--by', 'day'], "unknown option '--by'"],
  ])('refuses %j', async (argv, message) => {
    const { code, stderr } = await animus(['spend', ...argv]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('animus spend items', () => {
  test('lists the dearest and the slowest first', async () => {
    await target.database.transaction(async (tx) => {
      await tx.query('set local session_replication_role = replica');
      await tx.query(`update animus.work_items set created_at = created_at - interval '2 hours' where id = $1`, [
        root.id,
      ]);
    });
    const order = async (...argv: string[]) =>
      (await json('items', ...argv)).items.map((item: { id: string }) => item.id);
    expect(await order()).toEqual([child.id, root.id]);
    expect(await order('--slowest')).toEqual([root.id, child.id]);
    expect(await order('--slowest', '--limit', '1')).toEqual([root.id]);
    expect(await order('--until', today)).toEqual([]);
    expect((await animus(['spend', 'items', '--slowest'])).stdout).toMatch(/\$0\.2500\s+2\s+2 h/);
  });
});

test('code that ran without a model is not a call, in the sums and in the status', async () => {
  await target.database.query(
    `insert into animus.spend_calls (faculty, model, day, usd, input_tokens, output_tokens) values ('sandbox', 'animus/code', $1, 0, 0, 0)`,
    [today],
  );
  const { stdout } = await animus(['spend', '--since', today]);
  expect(stdout).toMatch(/animus\/code\s+1 run\s+0\s+0\s+\$0/);
  expect(stdout).toMatch(/Spent\s+\$0\.6000 in 4 calls and 1 run of code,/);
  expect((await animus(['status'])).stdout).toContain('$0.6000 today in 4 calls and 1 run of code');
});

test('a round that finds no calls adds nothing', async () => {
  await addUpSpend(target.database, 1000);
  expect(await addUpSpend(target.database, 1000)).toEqual({ count: 0, added: [] });
});
