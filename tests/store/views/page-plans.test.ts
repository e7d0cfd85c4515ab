/** The promise of the pages: none of their queries gets slower with the work that has ended, measured in pages read at 100,000 items. */
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { isAnimusError } from '../../../src/core/errors/errors.ts';
import { readPage } from '../../docs/page/read-page.ts';
import { statementsOf } from '../../docs/run/statements.ts';
import { testDatabase } from '../../support/database.ts';
import { fillHistory } from '../work/fill-history.ts';

const target = testDatabase();
const ITEMS = 100_000;
/** The table of items alone has four times as many. */
const MOST_PAGES = 1250;

const LEDGER = { turns: 0, callsPerTurn: 0, messages: 0, ledger: 1 };

const DOCS = new URL('../../../docs/', import.meta.url);
const QUERIES = readdirSync(DOCS)
  .filter((name) => name.endsWith('.md'))
  .flatMap((name) => readPage(name, readFileSync(new URL(name, DOCS), 'utf8')))
  .flatMap(({ name, blocks }) =>
    blocks
      .filter(({ language, hidden }) => language === 'sql' && !hidden)
      .flatMap(({ text, line }) => statementsOf(text).map((sql) => [`${name}:${line}`, sql.trim()] as const)),
  )
  .filter(([, sql]) => /^(select|with)\b/i.test(sql.replace(/^--.*\n/gm, '')))
  // The others read catalogs, which do not grow with the work, or remove queues.
  .filter(([, sql]) => /\banimus\.\w/.test(sql));

/** What blocks before a query have made, and some work that is open. */
const SETUP = `
  create table invoices (id bigint generated always as identity primary key, total numeric not null);
  create table scans (invoice int, name text, content bytea);
  insert into animus.work_items (faculty) select f from unnest(array['engineer', 'accountant', 'archivist']) f, generate_series(1, 3);
  insert into animus.work_items (faculty, dedup_key) values ('engineer', 'release'), ('engineer', 'changelog');
  do $$ begin perform animus.claim_work(gen_random_uuid(), '{"engineer": {"max": 3}}', 3, '1 hour'); end $$;
  insert into animus.work_ledger (work_item_id, seq, entry_type, content, created_at)
  select id, 1, 'note', 'x', now() from animus.work_items where state = 'claimed';
  analyze`;

beforeAll(async () => {
  // Of one state, and behind them one of another: a query that looks for this state without an index reads all of them.
  await fillHistory(target.database, ITEMS, LEDGER, '100 days', 'cancelled');
  await fillHistory(target.database, 1, LEDGER, '1 hour');
  for (const statement of statementsOf(SETUP)) await target.database.query(statement);
}, 240_000);

test.each(QUERIES)('%s: %s', async (_, sql) => {
  const asked = sql.replaceAll('$1', 'gen_random_uuid()');
  // The first call of a function in a session reads the catalog, too.
  await pagesRead(asked);
  expect(await pagesRead(asked)).toBeLessThan(MOST_PAGES);
});

test('a query that reads all that has ended is found, also one that stops at the first match', async () => {
  expect(await pagesRead(`select id from animus.work_items where state = 'completed' limit 1`)).toBeGreaterThan(
    MOST_PAGES,
  );
  expect(await pagesRead(`select count(*) from animus.work_items where dedup_key = 'x'`)).toBeGreaterThan(MOST_PAGES);
});

/** The pages that a statement reads, whose changes are undone. */
async function pagesRead(sql: string): Promise<number> {
  let pages = 0;
  const undone = new Error('undone');
  await target.database
    .transaction(async (tx) => {
      const [row] = await tx.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
        `explain (analyze, buffers, format json) ${sql}`,
      );
      const { Plan: plan } = row!['QUERY PLAN'][0];
      pages = plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!;
      throw undone;
    })
    .catch((error: unknown) => {
      // It looked for the id of the page, which is not there.
      if (error !== undone && !isAnimusError(error, 'work.not_found')) throw error;
    });
  return pages;
}
