/** The statements of the hot routes touch a few pages and one row, however much there is, with the plans that prepared statements get. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashAccessToken } from '../../../src/core/secrets/access-token.ts';
import { listWork, readWork } from '../../../src/operations/read-work.ts';
import { actWithToken } from '../../../src/store/people/acting.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database, Queryable } from '../../../src/store/sql/database.ts';
import { newTalk } from '../../store/conversations/begun.ts';
import { testDatabase } from '../../support/database.ts';
import { createPerson, createToken } from '../../support/people.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';
import { fillHistory } from '../work/fill-history.ts';

const target = testDatabase();
const logins: string[] = [];
const hashes = new Map<string, Buffer>();
let gateway: Database;
let items: { readonly id: string }[];

beforeAll(async () => {
  await fillHistory(target.database, 20_000, { turns: 0, callsPerTurn: 0, messages: 0, ledger: 0 });
  for (const [name, role] of [
    ['alice', 'submitter'],
    ['rita', 'reader'],
    ['bob', 'submitter'],
    ['carol', 'submitter'],
  ] as const) {
    await createPerson(target.database, name, role);
    hashes.set(name, hashAccessToken((await createToken(target.database, name)).secret)!);
  }
  for (let n = 0; n < 20; n++) await newTalk(target.database);
  await target.database.query(`update animus.work_items set submitted_by = 'person:alice'`);
  await target.database.query(
    `update animus.work_items set submitted_by = 'person:carol'
      where id in (select id from animus.work_items order by md5(id::text) limit 50)`,
  );
  await target.database.query('vacuum analyze');
  items = await target.database.query(`select id from animus.work_items where submitted_by = 'person:alice' limit 1`);
  gateway = openPostgres(await createLogin(target.connectionString, 'animus_gateway', logins), { poolSize: 1 });
}, 120_000);
afterAll(async () => {
  await gateway.close();
  await dropLogins(logins);
});

interface Node {
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly Node[];
}

/** What was executed. */
const all = (node: Node): readonly Node[] =>
  node['Actual Loops'] === 0 ? [] : [node, ...(node.Plans ?? []).flatMap(all)];

/** The plan of a statement that somebody runs, generic as that of a prepared one, and warm. */
async function planOf(person: string, sql: string, params: readonly unknown[]): Promise<Node> {
  const values = params.map((value) =>
    value === null
      ? 'null'
      : Buffer.isBuffer(value)
        ? `'\\x${value.toString('hex')}'`
        : `'${value as string | number}'`,
  );
  return gateway.transaction(
    async (tx) => {
      await tx.query('set local plan_cache_mode = force_generic_plan');
      await tx.query(`prepare hot as ${sql}`);
      const explain = `explain (analyze, buffers, format json) execute hot (${values.join(', ')})`;
      await tx.query(explain);
      const [row] = await tx.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(explain);
      await tx.query('deallocate hot');
      return row!['QUERY PLAN'][0].Plan;
    },
    actWithToken(hashes.get(person)!),
  );
}

/** What it asks first. */
async function statementOf(ask: (db: Queryable) => Promise<unknown>): Promise<[string, readonly unknown[]]> {
  const asked: [string, readonly unknown[]][] = [];
  await ask({ query: async (sql, params = []) => (asked.push([sql, params]), []) }).catch(() => null);
  return asked[0]!;
}

const pages = (plan: Node) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];

test('a look at the token touches a few pages', async () => {
  const { sql } = actWithToken(Buffer.alloc(32));
  const plan = await planOf('alice', sql, [hashes.get('alice')!]);
  expect(pages(plan)).toBeLessThan(20);
});

test.each([
  ['alice', 1],
  ['rita', 1],
  ['bob', 0],
])('an item that %s asks for by its id is one row by the index', async (person, rows) => {
  const plan = await planOf(person, ...(await statementOf((db) => readWork(db, items[0]!.id))));
  const scans = all(plan).filter((node) => node['Relation Name'] === 'work_items');
  expect(scans.map((node) => node['Node Type'])).toEqual(['Index Scan']);
  expect(scans[0]).toMatchObject({ 'Actual Rows': rows, 'Actual Loops': 1 });
  expect(pages(plan)).toBeLessThan(15);
});

test.each([
  ['alice', 'all but a few items are hers'],
  ['rita', 'she may see all'],
  ['carol', '50 of 20,000 items are hers'],
])('the list of %s touches a few pages per item: %s', async (person) => {
  const plan = await planOf(person, ...(await statementOf((db) => listWork(db, { limit: 20 }))));
  expect(plan['Actual Rows']).toBe(20);
  expect(pages(plan)).toBeLessThan(20 * 8);
});
