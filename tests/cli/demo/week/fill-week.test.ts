/** Promise: the week is lived through the functions of the engine, so every invariant of the schema holds in it, and it ends now. */
import { beforeAll, describe, expect, test } from 'vitest';
import { FACULTIES, PEOPLE } from '../../../../src/cli/demo/week/cast.ts';
import { fillWeek } from '../../../../src/cli/demo/week/fill-week.ts';
import { countWeek } from '../../../../src/cli/demo/week/week-counts.ts';
import { checkChains } from '../../../../src/features/audit/check-chains.ts';
import type { Database } from '../../../../src/store/sql/database.ts';
import { checkSums } from '../../../store/money/check-sums.ts';
import { handLedger, pico } from '../../../store/money/hand-ledger.ts';
import type { Life, World } from '../../../store/money/random-work.ts';
import { testDatabase } from '../../../support/database.ts';

const target = testDatabase();
/** The last ones are copies. */
const ITEMS = 420;
let before: unknown;
let startedAt: Date;

beforeAll(async () => {
  const { database: db } = target;
  before = await definitions(db);
  startedAt = new Date();
  await fillWeek(db, {
    items: ITEMS,
    longTurns: 130,
    seed: 5,
    onProgress: () => {},
    signal: new AbortController().signal,
  });
}, 120_000);

test('work is in every state that it can have after the claim, and waits for people', async () => {
  const { database: db } = target;
  const rows = await db.query<{ state: string; n: number }>(
    'select state, count(*)::int as n from animus.work_items group by 1',
  );
  const states = Object.fromEntries(rows.map(({ state, n }) => [state, n]));
  expect(Object.keys(states).sort()).toEqual(
    ['cancelled', 'completed', 'dead', 'merged', 'queued', 'running', 'scheduled', 'waiting'].sort(),
  );
  expect(await countWeek(db)).toMatchObject({
    asks: expect.any(Number),
    open: states['queued']! + states['running']! + states['scheduled']! + states['waiting']!,
  });
  const subjects = await db.query('select distinct subject from animus.inbox order by 1');
  expect(subjects).toEqual([
    { subject: 'budget' },
    { subject: 'question' },
    { subject: 'skill' },
    { subject: 'tool_call' },
  ]);
});

test('every time is in the past week, and the functions are as before', async () => {
  const { database: db } = target;
  for (const [table, column] of TIMES) {
    const [row] = await db.query<{ early: number; late: number; n: number }>(
      `select count(*)::int as n, count(*) filter (where ${column} < $1::timestamptz - interval '7 days')::int as early,
              count(*) filter (where ${column} > now())::int as late from animus.${table}`,
      [startedAt],
    );
    expect(row, `${table}.${column}`).toMatchObject({ early: 0, late: 0 });
    expect(row!.n, table).toBeGreaterThan(0);
  }
  const [ids] = await db.query(
    `select count(*) filter (where abs(('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint - extract(epoch from created_at) * 1000) > 1)::int as far from animus.work_items`,
  );
  expect(ids).toEqual({ far: 0 });
  expect(await definitions(db)).toEqual(before);
});

test('the chains of decisions hold', async () => {
  const verdict = await checkChains(target.database);
  expect(verdict).toMatchObject({ intact: true });
  expect(JSON.stringify(await target.database.query('select distinct decided_by from animus.decisions'))).toContain(
    PEOPLE.mira.name,
  );
});

test('what stands around the work is there, too', async () => {
  const { database: db } = target;
  for (const [what, sql] of Object.entries(AROUND)) {
    const [row] = await db.query<{ n: number }>(`select count(*)::int as n from animus.${sql}`);
    expect(row!.n, what).toBeGreaterThan(0);
  }
});

test('nobody serves its faculties, and its daemons have stopped', async () => {
  const { database: db } = target;
  const rows = await db.query<{ faculty: string }>('select distinct faculty from animus.work_items order by 1');
  expect(rows.map(({ faculty }) => faculty)).toEqual(
    Object.values(FACULTIES)
      .map(({ name }) => name)
      .sort(),
  );
  expect(rows.every(({ faculty }) => faculty.startsWith('demo-'))).toBe(true);
  expect(await db.query('select from animus.daemons where stopped_at is null')).toEqual([]);
  // Its webhook has an address that nobody can have.
  expect(await db.query(`select url from animus.webhooks where url !~ '[.]invalid/'`)).toEqual([]);
  expect(await db.query(`select from animus.schedules where faculty !~ '^demo-' or overlap <> 'skip'`)).toEqual([]);
});

test('what it has cost is the same number everywhere', async () => {
  const { database: db } = target;
  const ledger = handLedger();
  for (const { usd, calls, ...row } of await spent(db)) {
    ledger.add({ ...row, operation: row.operation }, { usd: pico(usd), calls, input: row.input, output: row.output });
  }
  const [today] = await db.query<{ day: string }>(`select (now() at time zone 'UTC')::date::text as day`);
  const world = { db, ledger, lives: await lives(db) } as unknown as World;
  await checkSums(world, { open: null }, today!.day);
});

describe('an interruption', () => {
  const other = testDatabase();

  test('in the middle leaves neither work nor another clock', async () => {
    const { database: db } = other;
    const stop = new AbortController();
    const onProgress = (share: number) => void (share > 0.5 && stop.abort());
    const filling = fillWeek(db, { items: 50, longTurns: 50, seed: 1, onProgress, signal: stop.signal });
    await expect(filling).rejects.toMatchObject({ code: 'interrupted' });
    expect(await db.query('select from animus.work_items')).toEqual([]);
    expect(await definitions(db)).toEqual(before);
  });
});

/** Each turn, from its row, and the summaries, which only the longest item has. */
async function spent(db: Database) {
  return db.query<{
    item: string;
    root: string;
    faculty: string;
    model: string;
    day: string;
    operation: string;
    submitter: string | null;
    source: string | null;
    usd: string;
    input: number;
    output: number;
    calls: number;
  }>(
    `select w.id as item, w.root_id as root, w.faculty, t.provider || '/' || t.model as model, (t.begun_at at time zone 'UTC')::date::text as day,
            'turn' as operation, r.submitted_by as submitter, r.source, t.cost_usd::text as usd, (t.usage ->> 'input')::int as input, (t.usage ->> 'output')::int as output, 1 as calls
       from animus.turns t join animus.foci f on f.id = t.focus_id join animus.work_items w on w.id = f.work_item_id join animus.work_items r on r.id = w.root_id
      where t.recorded_at is not null
     union all
     select l.id, l.id, l.faculty, s.model, s.day::text, s.operation, s.submitter, l.source, s.usd::text, s.input_tokens::int, s.output_tokens::int, s.calls::int
       from animus.spend_details s cross join (select w.* from animus.work_items w order by w.turns desc limit 1) l where s.operation = 'summary'`,
  );
}

/** The items, with the request that is under way. */
async function lives(db: Database): Promise<Life[]> {
  const rows = await db.query<{
    id: string;
    root: string;
    faculty: string;
    model: string;
    source: string;
    submitter: string;
    usd: string | null;
    tokens: number;
    day: string;
  }>(
    `select w.id, w.root_id as root, w.faculty, w.source, w.submitted_by as submitter, t.reserved_usd::text as usd, coalesce(t.reserved_tokens, 0)::int as tokens,
            (t.begun_at at time zone 'UTC')::date::text as day, (select p.provider || '/' || p.model from animus.turns p where p.focus_id = f.id and p.turn = t.turn - 1) as model
       from animus.work_items w left join animus.foci f on f.work_item_id = w.id and f.ended_as is null
       left join animus.turns t on t.focus_id = f.id and t.open_request is not null`,
  );
  return rows.map(({ usd, tokens, day, ...row }) => {
    const place = {
      item: row.id,
      root: row.root,
      faculty: row.faculty,
      model: row.model,
      day,
      operation: 'turn',
      submitter: row.submitter,
      source: row.source,
    };
    const turn = usd === null ? null : { place, usd: pico(usd), tokens, request: '' };
    return { ...row, state: 'ended', token: '', focus: null, turns: 0, turn, side: null, batch: null } satisfies Life;
  });
}

async function definitions(db: Database): Promise<unknown> {
  return db.query(
    `select p.proname, md5(pg_get_functiondef(p.oid)) as body, p.proacl::text as rights from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = 'animus' and p.prokind = 'f' order by 1, 2`,
  );
}

const TIMES = [
  ['work_items', 'created_at'],
  ['work_items', 'updated_at'],
  ['work_items', 'resolved_at'],
  ['foci', 'started_at'],
  ['turns', 'begun_at'],
  ['turns', 'recorded_at'],
  ['tool_calls', 'ended_at'],
  ['work_ledger', 'created_at'],
  ['focus_messages', 'created_at'],
  ['waits', 'created_at'],
  ['decisions', 'created_at'],
] as const;

const AROUND = {
  'a branch of a conversation': 'chat_messages where replaces is not null',
  answers: `chat_messages where role = 'assistant'`,
  memories: 'memories',
  'missed runs': `schedule_runs where result = 'missed'`,
  'dead deliveries': `webhook_deliveries where state = 'dead'`,
  'skills in use': `skill_versions where state = 'current'`,
  'proposed skills': `skill_versions where state = 'proposed'`,
  diffs: 'worktree_results where patch is not null',
  files: 'artifacts',
  'tokens that were revoked': 'tokens where revoked_at is not null',
  limits: 'budget_limits',
  pauses: 'pauses',
  'decisions about calls': `decisions where action in ('approve', 'deny')`,
  children: 'work_items where depth > 0',
  summaries: `focus_messages where kind = 'summary'`,
  'messages of people': `focus_messages where kind = 'operator'`,
} as const;
