/** Compares what every place says with the sums by hand. */
import { expect } from 'vitest';
import { readSpend, type SpendGroup } from '../../../src/features/budgets/spend.ts';
import { readSpendItems, readSpendRoots } from '../../../src/features/budgets/spend-items.ts';
import { listBudgets } from '../../../src/features/budgets/store.ts';
import { readWork } from '../../../src/operations/read-work.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { decimal, dollars, type HandLedger, type Open, type Place } from './hand-ledger.ts';
import { openOf } from './random-acts.ts';
import type { Embeddings } from './random-embeddings.ts';
import type { World } from './random-work.ts';
import { costs, exact, inJson, told } from './told-sums.ts';

const ALL_DAYS = { since: '2000-01-01', until: null };

/** Compares every place with the sums by hand. */
export async function checkSums(world: World, embeddings: Embeddings, day: string): Promise<void> {
  const { db, ledger, lives } = world;
  const open = openOf(world, embeddings);
  for (const { id, root } of lives) {
    const ofItem = ledger.sum(({ item }) => item === id);
    expect(await costs(db, 'item', id), `item ${id}`).toEqual(
      told(
        ofItem,
        open.filter(({ place }) => place.item === id),
      ),
    );
    expect({ ...(await readWork(db, id)) }, 'work show and GET /work/ID').toMatchObject(inJson('cost_usd', ofItem));
    if (root !== id) continue;
    const isBelow = ({ root: of }: Place) => of === id;
    expect(await costs(db, 'root', id), 'root').toEqual(
      told(
        ledger.sum(isBelow),
        open.filter(({ place }) => isBelow(place)),
      ),
    );
  }
  await checkSpend(db, ledger, open);
  await checkLists(db, ledger, lives);
  await checkBudgets(db, ledger, open, day);
}

const GROUPS: Readonly<Record<SpendGroup, (place: Place) => string | null>> = {
  day: ({ day }) => day,
  month: ({ day }) => day.slice(0, 7),
  faculty: ({ faculty }) => faculty,
  provider: ({ model }) => model.split('/')[0]!,
  model: ({ model }) => model,
  operation: ({ operation }) => operation,
  submitter: ({ submitter }) => submitter,
  source: ({ source }) => source,
};

async function checkSpend(db: Queryable, ledger: HandLedger, open: readonly Open[]): Promise<void> {
  const all = ledger.sum(() => true);
  for (const [group, of] of Object.entries(GROUPS) as [SpendGroup, (typeof GROUPS)[SpendGroup]][]) {
    const spend = await readSpend(db, [group], ALL_DAYS, 1000);
    expect(await readSpend(db, [group], ALL_DAYS, 1000, 'visible'), 'GET /spend').toEqual(spend);
    const values = ledger.values(of);
    expect(spend.rows, `spend by ${group}`).toHaveLength(values.length);
    const found = new Map(spend.rows.map((row) => [row[group], row]));
    for (const value of values) {
      const sums = ledger.sum((place) => of(place) === value);
      const counts = { calls: sums.calls, lost_requests: sums.lostRequests };
      expect(found.get(value), `spend by ${group}: ${value}`).toMatchObject({ ...inJson('usd', sums), ...counts });
      if (value === null || group === 'day' || group === 'month') continue;
      const held = open.filter(({ place }) => of(place) === value);
      expect(await costs(db, group, value), `costs of ${group} ${value}`).toEqual(told(sums, held));
    }
    expect(spend.total, `the total by ${group}`).toMatchObject(inJson('usd', all));
  }
  for (const day of ledger.values((place) => place.day)) {
    const sums = ledger.sum((place) => place.day === day);
    const held = open.filter(({ place }) => place.day === day);
    const ofDay = told(sums, held);
    expect(await costs(db, 'appliance', '', day), `costs on ${day}`).toEqual(ofDay);
    const { held_usd: _, held_tokens: __, recorded_usd: ___, ...viewed } = ofDay;
    expect(await readView(db, day), `animus.spend on ${day}`).toEqual(viewed);
  }
  expect(await costs(db, 'appliance', ''), 'appliance').toEqual(told(all, open));
}

/** The sums of animus.spend. */
async function readView(db: Queryable, day: string | null): Promise<Record<string, unknown>> {
  const [row] = await db.query<Record<'usd' | 'estimated_usd' | 'lost_usd', string>>(
    `select sum(usd)::text as usd, sum(estimated_usd)::text as estimated_usd, sum(lost_usd)::text as lost_usd, sum(calls)::int as calls,
            sum(lost_requests)::int as lost_requests, sum(unpriced_calls)::int as unpriced_calls, sum(uncounted_calls)::int as uncounted_calls,
            sum(input_tokens)::int as input_tokens, sum(output_tokens)::int as output_tokens, sum(assumed_tokens)::int as assumed_tokens
       from animus.spend where day = $1`,
    [day],
  );
  const { usd, estimated_usd: estimated, lost_usd: lost, ...counts } = row!;
  return { ...counts, usd: exact(usd), estimated_usd: exact(estimated), lost_usd: exact(lost) };
}

/** What the metrics have counted, once everything is added up. */
export function checkMetrics({ ledger, metrics }: World): void {
  for (const faculty of ledger.values((place) => place.faculty)) {
    for (const model of ledger.values((place) => place.model)) {
      const of = (place: Place) => place.faculty === faculty && place.model === model;
      const { usd, estimated, lost, unpriced } = ledger.sum(of);
      expect(metrics.sum(of), `metrics of ${faculty}, ${model}`).toMatchObject({ usd, estimated, lost, unpriced });
    }
  }
}

async function checkLists(db: Queryable, ledger: HandLedger, lives: World['lives']): Promise<void> {
  for (const item of await readSpendItems(db, 'dearest', ALL_DAYS, 1000)) {
    if (lives.some(({ id }) => id === item.id))
      expect(item, 'spend items').toMatchObject(
        inJson(
          'usd',
          ledger.sum((place) => place.item === item.id),
        ),
      );
  }
  for (const root of await readSpendRoots(db, ALL_DAYS, 1000)) {
    if (lives.some(({ id }) => id === root.id))
      expect(root, 'spend by root').toMatchObject(
        inJson(
          'usd',
          ledger.sum((place) => place.root === root.id),
        ),
      );
  }
}

/** Limits: what is shown, and what their accounts count. */
async function checkBudgets(db: Queryable, ledger: HandLedger, open: readonly Open[], day: string): Promise<void> {
  const month = day.slice(0, 7);
  for (const limit of await listBudgets(db)) {
    if (limit.spent === null) continue;
    const counts = (place: Place) =>
      (limit.period === 'none' || place.day.startsWith(limit.period === 'day' ? day : month)) &&
      (limit.scope === 'appliance' || (limit.scope === 'faculty' ? place.faculty : place.root) === limit.subject);
    const sums = ledger.sum(counts);
    const held = open.filter(({ place }) => counts(place));
    const usd = {
      spent: dollars(sums.usd),
      held: dollars(held.reduce((sum, each) => sum + (each.usd ?? 0n), 0n)),
      lost: dollars(sums.lost),
      estimated: dollars(sums.estimated),
    };
    const tokens = {
      spent: sums.input + sums.output + sums.assumed,
      held: held.reduce((sum, each) => sum + each.tokens, 0),
      lost: sums.assumed,
    };
    const name = `budget ${limit.scope} ${limit.subject} ${limit.period} ${limit.unit}`;
    expect(limit, name).toMatchObject(limit.unit === 'usd' ? usd : tokens);
    const starts = limit.period === 'none' ? '1970-01-01' : limit.period === 'day' ? day : `${month}-01`;
    const [account] = await db.query<{ used: string | null }>(
      `select (u.spent + u.held)::text as used
         from animus.budget_accounts a cross join lateral (
           select a.spent + coalesce(sum(s.spent), 0) + (select coalesce(sum(c.cost), 0) from animus.budget_holds h cross join lateral (select animus.hold_cost(h, false) as cost) c where h.account_id = a.id) as spent,
                  (select coalesce(sum(h.amount), 0) from animus.budget_holds h where h.account_id = a.id and animus.hold_cost(h, false) is null) as held
             from animus.budget_slices s where s.account_id = a.id) u
        where a.scope = $1 and a.subject = $2 and a.unit = $3 and a.period = $4 and a.starts = $5`,
      [limit.scope, limit.subject ?? '', limit.unit, limit.period, starts],
    );
    if (account === undefined) continue;
    const used =
      limit.unit === 'usd'
        ? decimal(sums.usd + held.reduce((sum, each) => sum + (each.usd ?? 0n), 0n))
        : decimal(BigInt(tokens.spent + tokens.held) * 10n ** 12n);
    expect(exact(account.used ?? '0'), `the account of ${name}`).toBe(used);
  }
}
