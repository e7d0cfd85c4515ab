import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { testDatabase } from '../support/database.ts';

const PAGE = readFileSync(new URL('../../docs/sql-api.md', import.meta.url), 'utf8');
const EXAMPLES = [...PAGE.matchAll(/^```sql\n(.*?)^```/gms)].map(([, sql]) => sql!);

const target = testDatabase();

test('the examples of docs/sql-api.md run, in their order, and do what they say', async () => {
  expect(EXAMPLES.length).toBeGreaterThan(8);
  const db = target.open({ poolSize: 1 });
  for (const example of EXAMPLES) await db.query(example);
  const states = await db.query(
    'select faculty, state, count(*)::int as n from animus.work_items group by 1, 2 order by 1, 2',
  );
  expect(states).toEqual([
    { faculty: 'accountant', state: 'completed', n: 1 },
    { faculty: 'accountant', state: 'merged', n: 2 },
    { faculty: 'engineer', state: 'queued', n: 2 },
  ]);
});

test('every function the page names is there, and every error', async () => {
  const named = new Set([...PAGE.matchAll(/`(\w+)\(/g)].map(([, name]) => name));
  const there = await target.database.query<{ proname: string }>(
    `select proname from pg_proc where pronamespace = 'animus'::regnamespace`,
  );
  expect([...named].filter((name) => !there.some((one) => one.proname === name))).toEqual([]);
});
