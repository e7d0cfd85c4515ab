/** Promise: no model call waits for another's spend, and animus.spend is exact at every moment. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { addUpSpend } from '../../../src/features/budgets/add-up-spend.ts';
import { readSpend } from '../../../src/features/budgets/spend.ts';
import { readStatus } from '../../../src/features/operate/status/status.ts';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { answeredTurn, recordSideCall, recordTurn } from '../../../src/store/transcript/turns.ts';
import { claimWork } from '../../../src/store/work/work.ts';
import { beginFocus, claimable, type FocusedWork } from '../../support/begun-focus.ts';
import { beginTurn } from '../../support/begun-turn.ts';
import { testDatabase } from '../../support/database.ts';
import { migrateFirstSchema, versionsSince } from '../../support/first-schema.ts';
import { beginOldTurn, recordOldTurn } from './old-turn.ts';
import { insertWork, openTransaction, startFocus, untilBlocked } from './queue-driver.ts';

const ANSWER = {
  provider: 'test',
  responseId: null,
  content: [],
  stopReason: 'end_turn',
  rawStopReason: null,
  cutToolCalls: [],
  usage: { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
  timeToFirstTokenMs: null,
  durationMs: 0,
} as const;

async function charge(db: Queryable, work: FocusedWork, turn: number, model: string, usd = 0.01): Promise<void> {
  await beginTurn(db, work.key, turn, 0);
  const answer = { ...ANSWER, model };
  await recordTurn(db, work.key, answeredTurn(turn, answer), answer, usd);
}

/** A focus begun as version 0.1.0 does it. */
async function beginOld(db: Queryable): Promise<FocusedWork> {
  const id = await insertWork(db, { faculty: `f${randomUUID()}` });
  const [item] = await db.query<{ faculty: string }>('select faculty from animus.work_items where id = $1', [id]);
  const [work] = await claimWork(db, randomUUID(), claimable(item!.faculty), 1, 60);
  const focusId = await startFocus(db, work!);
  return { ...work!, key: { workItemId: id, leaseToken: work!.leaseToken, focusId } };
}

async function chargeOld(db: Queryable, work: FocusedWork, model: string): Promise<void> {
  await beginOldTurn(db, work);
  await recordOldTurn(db, work, { ...ANSWER, model });
}

/** The spend of one model, all faculties and days together. */
async function spendOf(db: Queryable, model: string) {
  const [row] = await db.query<{ usd: string; input: number; output: number; calls: number; rows: number }>(
    `select sum(usd)::text as usd, sum(input_tokens)::int as input, sum(output_tokens)::int as output, sum(calls)::int as calls, count(*)::int as rows
       from animus.spend where model = $1`,
    [`test/${model}`],
  );
  return row!;
}

describe('spend', () => {
  const target = testDatabase();

  test('of one faculty is charged by many calls at once, and none waits for another to be committed', async () => {
    const { database } = target;
    const model = randomUUID();
    const first = await beginFocus(database);
    const [sibling] = await database.query<{ id: string }>(
      'insert into animus.work_items (faculty) select faculty from animus.work_items where id = $1 returning id',
      [first.id],
    );
    const second = await beginFocus(database, { id: sibling!.id });
    const held = await openTransaction(target.open({ poolSize: 1 }), (tx) => charge(tx, first, 1, model));
    await charge(database, second, 1, model);
    expect(await spendOf(database, model)).toMatchObject({ calls: 1 });
    await held.end('commit');
    expect(await spendOf(database, model)).toEqual({ usd: '0.02', input: 200, output: 20, calls: 2, rows: 1 });
  });

  test('is exact before, while and after it is added up, by two daemons at once, and nothing is left to add', async () => {
    const { database } = target;
    const model = randomUUID();
    const work = await beginFocus(database);
    const adders = [target.open({ poolSize: 1 }), target.open({ poolSize: 1 })];
    const done = new AbortController();
    const adding = adders.map(async (adder) => {
      while (!done.signal.aborted) await addUpSpend(adder, 3);
    });
    for (let turn = 1; turn <= 40; turn++) {
      await charge(database, work, turn, model);
      expect(await spendOf(database, model)).toMatchObject({ calls: turn, input: turn * 100, rows: 1 });
    }
    done.abort();
    await Promise.all(adding);
    while ((await addUpSpend(database, 1000)).count! > 0);
    const [left] = await database.query(`select count(*)::int as n from animus.spend_calls`);
    expect(left).toEqual({ n: 0 });
    expect(await spendOf(database, model)).toEqual({ usd: '0.40', input: 4000, output: 400, calls: 40, rows: 1 });
  });

  test('is added up in the order of its days, so that daemons cannot wait for each other', async () => {
    const { database } = target;
    const models = ['b', 'a'].map((name) => `${name}-${randomUUID()}`);
    const insert = (db: Queryable, model: string) =>
      db.query(`insert into animus.spend_calls values ('x', $1, '2026-01-01', 1, 1, 1)`, [`test/${model}`]);
    for (const model of models) await insert(database, model);
    await addUpSpend(database, 1000);
    for (const model of models) await insert(database, model);
    const held = await openTransaction(target.open({ poolSize: 1 }), async (tx) => void (await addUpSpend(tx, 1000)));
    for (const model of models.toReversed()) await insert(database, model);
    const second = addUpSpend(target.open({ poolSize: 1 }), 1000);
    await untilBlocked(database);
    await held.end('commit');
    await expect(second).resolves.toMatchObject({ count: 2 });
    for (const model of models) expect(await spendOf(database, model)).toMatchObject({ calls: 3 });
  });

  test.each(['spend', 'spend_details'])('reads a day of %s by indexes, however many days there are', async (view) => {
    const { database } = target;
    await database.query(
      `insert into animus.spend_days select 'f' || n % 20, 'test/old', date '2020-01-01' + n / 20, 1, 1, 1, 1 from generate_series(1, 20000) n on conflict do nothing`,
    );
    await database.query(
      `insert into animus.spend_sums select date '2020-01-01' + n / 20, 'f' || n % 20, 'test/old', 'turn', '', 1, 1, 1, 1 from generate_series(1, 20000) n on conflict do nothing`,
    );
    await database.query('analyze animus.spend_days, animus.spend_sums, animus.spend_calls');
    const plan = await database.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, buffers, timing off) select * from animus.${view} where day = date '2021-06-01'`,
    );
    const text = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(text).toContain('spend_day');
    expect(text).toContain('spend_sums_pkey');
    expect(Number(/Buffers: shared hit=(\d+)/.exec(text)?.[1])).toBeLessThan(50);
  });

  test('is charged to the submitter of the root, by what the call was for', async () => {
    const { database } = target;
    const model = randomUUID();
    const root = await beginFocus(database);
    const [row] = await database.query<{ id: string }>(
      `insert into animus.work_items (faculty, parent_id) select faculty, id from animus.work_items where id = $1 returning id`,
      [root.id],
    );
    await database.transaction(async (tx) => {
      await tx.query('set local session_replication_role = replica');
      await tx.query(
        `update animus.work_items set submitted_by = case when id = $1 then 'ada' else 'a daemon' end where id = any (array[$1, $2]::uuid[])`,
        [root.id, row!.id],
      );
    });
    const child = await beginFocus(database, { id: row!.id });
    await charge(database, root, 1, model);
    await charge(database, child, 1, model);
    await recordSideCall(database, child.key, { ...ANSWER, model }, 0.05);
    const read = () =>
      database.query(
        `select operation, submitter, sum(usd)::float8 as usd, sum(calls)::int as calls from animus.spend_details where model = $1 group by 1, 2 order by 1`,
        [`test/${model}`],
      );
    const expected = [
      { operation: 'summary', submitter: 'ada', usd: 0.05, calls: 1 },
      { operation: 'turn', submitter: 'ada', usd: 0.02, calls: 2 },
    ];
    expect(await read()).toEqual(expected);
    await addUpSpend(database, 1000);
    expect(await read()).toEqual(expected);
  });
});

describe('code without a model', () => {
  const target = testDatabase();

  test('is counted by itself, not as a model call, before and after its rows are added up', async () => {
    const db = target.database;
    const work = await beginFocus(db);
    await charge(db, work, 1, 'm');
    await beginTurn(db, work.key, 2, 0);
    const ran = { ...ANSWER, provider: 'animus', model: 'code', usage: null };
    await recordTurn(db, work.key, answeredTurn(2, ran), ran, 0);
    const calls = { calls: 1, code_runs: 0 };
    const runs = { calls: 0, code_runs: 1, usd: 0 };
    const day = { since: '2026-01-01', until: null };
    for (const added of [0, 2]) {
      if (added > 0) expect(await addUpSpend(db, 100)).toMatchObject({ count: added });
      const spend = await readSpend(db, ['model', 'operation'], day, 10);
      expect(spend.total).toMatchObject({ calls: 1, code_runs: 1 });
      expect(spend.rows).toMatchObject([
        { model: 'test/m', operation: 'turn', ...calls },
        { model: 'animus/code', operation: 'code', ...runs },
      ]);
      expect((await readStatus(db)).spend_today).toMatchObject([
        { model: 'animus/code', ...runs },
        { model: 'test/m', ...calls },
      ]);
    }
  });
});

describe('an upgrade from version 0.1.0, which wrote the sums itself', () => {
  const target = testDatabase({ empty: true });

  test('leaves the table alone while a call of that version may be under way, and loses no cent', async () => {
    const db = target.database;
    await migrateFirstSchema(db);
    await migrateFirstSchema(db, versionsSince().at(-1));
    const [before, during, after] = [await beginOld(db), await beginOld(db), await beginOld(db)];
    await chargeOld(db, before, 'm');
    // In the midst of its function when that is replaced.
    await beginOldTurn(db, during);
    const holder = await openTransaction(target.open({ poolSize: 1 }), async (tx) => {
      await tx.query('select from animus.work_items where id = $1 for update', [during.id]);
    });
    const answer = { ...ANSWER, model: 'm' };
    const late = recordOldTurn(target.open({ poolSize: 1 }), during, answer);
    await untilBlocked(db);
    await migrate(target.open());
    await charge(db, after, 1, 'm');
    expect(await addUpSpend(db, 100)).toMatchObject({ count: null });
    await holder.end('commit');
    await late;
    await db.query(
      `update animus.settings set value = to_jsonb(now() - interval '2 minutes') where key = 'spend_calls_since'`,
    );
    expect(await addUpSpend(db, 100)).toMatchObject({ count: 1 });
    expect(await spendOf(db, 'm')).toMatchObject({ calls: 3, usd: '0.03' });
    expect(
      await db.query(
        `select operation, sum(calls)::int as calls from animus.spend_details group by operation order by operation`,
      ),
    ).toEqual([
      { operation: 'turn', calls: 1 },
      { operation: null, calls: 2 },
    ]);
    const readers = await db.query(
      `select r.rolname from pg_roles r where r.rolname like 'animus\\_%' and has_table_privilege(r.oid, 'animus.spend', 'select') and has_table_privilege(r.oid, 'animus.spend_details', 'select') order by 1`,
    );
    expect(readers.map((row) => row['rolname'])).toEqual(
      expect.arrayContaining(['animus_daemon', 'animus_operator', 'animus_reader']),
    );
    expect(readers.map((row) => row['rolname'])).not.toContain('animus_submitter');
  });
});
