/** What a filter finds, in each order and over all pages, is what a program finds that looks at every item; and what it reads is bounded. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WORK_STATES } from '../../../src/core/work/work.ts';
import {
  countWork,
  type FoundPlace,
  findWork,
  type WorkFilter,
  type WorkSort,
} from '../../../src/features/work/found.ts';
import { asVisitor, type Visitor } from '../../../src/http/login/visitor.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database, Queryable } from '../../../src/store/sql/database.ts';
import { testDatabase } from '../../support/database.ts';
import { visitorFor } from '../../support/people.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';
import { fillItems, type Item, matches, sorted } from './found-items.ts';

const target = testDatabase();
const logins: string[] = [];
let gateway: Database;
let alice: Visitor;
let items: readonly Item[];

/** More than a request looks at, of all faculties and people. */
beforeAll(async () => {
  items = await fillItems(target.database);
  gateway = openPostgres(await createLogin(target.connectionString, 'animus_gateway', logins), { poolSize: 1 });
  alice = await visitorFor(target.database, 'alice');
}, 240_000);
afterAll(async () => {
  await gateway.close();
  await dropLogins(logins);
});

/** All pages, and whether the items were ranked only in part. `ends` gets the ids with which pages end. */
async function allPages(
  db: Queryable,
  filter: WorkFilter,
  sort: WorkSort,
  limit: number,
  ends: string[] = [],
): Promise<[string[], boolean]> {
  const ids: string[] = [];
  let some = false;
  let after: FoundPlace | undefined;
  do {
    const page = await findWork(db, filter, { sort, after, limit });
    ids.push(...page.ids);
    some ||= page.partial;
    after = page.next ?? undefined;
    if (after !== undefined) ends.push(after.id);
  } while (after !== undefined);
  return [ids, some];
}

/** Where two lists differ first; of thousands, to print all takes minutes. */
function difference(found: readonly string[], expected: readonly string[]): object | null {
  const at = Array.from({ length: Math.max(found.length, expected.length) }).findIndex(
    (_, n) => found[n] !== expected[n],
  );
  return at === -1 ? null : { at, found: found[at], expected: expected[at], lengths: [found.length, expected.length] };
}

const SORTS: readonly WorkSort[] = ['newest', 'oldest', 'ended', 'cost', 'duration', 'priority'];
const hour = (n: number) => new Date(Date.now() - n * 60_000);
const FILTERS: readonly WorkFilter[] = [
  {},
  { states: ['completed'], faculties: ['rare', 'crowd'] },
  { states: ['dead', 'cancelled'] },
  { states: ['queued', 'running', 'waiting'], min_cost_usd: 5 },
  { faculties: ['rare'] },
  { submitters: ['person:alice'] },
  { submitters: ['person:alice', 'person:bob'], states: ['completed'] },
  { error: 'llm.timeout' },
  { ended_since: hour(3) },
  { q: 'winter' },
  { q: 'Überr' },
  { q: 'TIMEZONE offs' },
  { q: 'summer', states: ['dead'], min_cost_usd: 8 },
  { q: 'nowhere' },
];

describe.each(SORTS)('by %s', (sort) => {
  test.each(FILTERS.map((filter) => [JSON.stringify(filter), filter] as const))(
    'all pages of %s are what matches',
    async (_, filter) => {
      const expected = sorted(
        items.filter((item) => matches(item, filter)),
        sort,
      ).map(({ id }) => id);
      const [found, some] = await allPages(target.database, filter, sort, 3000);
      expect(new Set(found).size).toBe(found.length);
      if (!some) return expect(difference(found, expected)).toBeNull();
      expect(['cost', 'duration', 'priority']).toContain(sort);
      const these = new Set(found);
      return expect(
        difference(
          found,
          expected.filter((id) => these.has(id)),
        ),
      ).toBeNull();
    },
  );
});

test('pages of any size go on where the one before ended', async () => {
  for (const sort of SORTS) {
    const filter: WorkFilter = { states: ['dead'], faculties: ['rare'] };
    const expected = sorted(
      items.filter((item) => matches(item, filter)),
      sort,
    ).map(({ id }) => id);
    expect(expected.length).toBeGreaterThan(10);
    for (const limit of [1, 3, 7])
      expect(await allPages(target.database, filter, sort, limit)).toEqual([expected, false]);
  }
});

test('a tree and the children of an item', async () => {
  const child = items.find(({ parent_id: parent }) => parent !== null)!;
  for (const filter of [{ root: child.root_id }, { parent: child.parent_id! }, { root: child.root_id, q: 'item' }]) {
    const expected = items.filter((item) => matches(item, filter)).map(({ id }) => id);
    expect(expected.length).toBeGreaterThan(1);
    expect(await allPages(target.database, filter, 'newest', 2)).toEqual([expected, false]);
  }
});

test('a submitter finds and counts only its own', async () => {
  const own = items.filter(({ submitted_by: name }) => name === 'person:alice');
  for (const filter of [
    {},
    { q: 'winter' },
    { states: ['dead', 'queued'] as const },
    { submitters: ['person:bob'] },
    { ended_since: hour(5) },
  ]) {
    const expected = own.filter((item) => matches(item, filter));
    await asVisitor(gateway, alice, async (tx) => {
      for (const sort of SORTS) {
        const ends: string[] = [];
        const [ids] = await allPages(tx, filter, sort, 500, ends);
        expect(
          difference(
            ids,
            sorted(expected, sort).map(({ id }) => id),
          ),
        ).toBeNull();
        // Where a page ends is told, too.
        expect(ends.filter((id) => !own.some((item) => item.id === id))).toEqual([]);
      }
      const counts = await countWork(tx, filter);
      expect(counts.reduce((sum, one) => sum + one.items, 0)).toBe(expected.length);
    });
  }
});

test.each(FILTERS.map((filter) => [JSON.stringify(filter), filter] as const))(
  'the counts of %s are exact, or say that there may be more',
  async (_, filter) => {
    const counts = await countWork(target.database, filter);
    expect(counts.map(({ state }) => state).toSorted()).toEqual([...(filter.states ?? WORK_STATES)].toSorted());
    for (const { state, items: counted, more } of counts) {
      const all = items.filter((item) => item.state === state && matches(item, filter)).length;
      if (more) expect(counted).toBeLessThanOrEqual(all);
      else expect({ state, counted }).toEqual({ state, counted: all });
    }
  },
);

test('few items are counted exactly, whatever there is beside them', async () => {
  for (const filter of [
    { faculties: ['rare'] },
    { q: 'Überraschung' },
    { submitters: ['person:alice'] },
    { ended_since: hour(3) },
  ])
    expect((await countWork(target.database, filter)).filter(({ more }) => more)).toEqual([]);
});

test.each(SORTS)('a page by %s reads a bounded part', async (sort) => {
  for (const filter of FILTERS) {
    const sql = `select * from animus.find_visible_work(50, '${JSON.stringify(filter)}', '${sort}')`;
    // At most 20,000 rows by an index, and once more for where they end.
    expect.soft(await pagesRead(sql), JSON.stringify(filter)).toBeLessThan(20_000 * 2 + 2000);
  }
});

async function pagesRead(sql: string): Promise<number> {
  const explain = `explain (analyze, buffers, format json) ${sql}`;
  await target.database.query(explain);
  const [row] = await target.database.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(explain);
  const { Plan: plan } = row!['QUERY PLAN'][0];
  return plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!;
}
