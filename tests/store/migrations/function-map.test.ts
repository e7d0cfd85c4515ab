import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { pagesWithMaps, sqlFunctions } from './function-map.ts';

const target = testDatabase();
const functions = sqlFunctions();

test('every function is found by its comment: files and database contain the same functions', async () => {
  const there = await target.database.query<{ name: string }>(
    `select distinct proname as name from pg_proc where pronamespace = 'animus'::regnamespace and prokind = 'f' order by 1`,
  );
  expect([...new Set(functions.map(({ name }) => name))].sort()).toEqual(there.map(({ name }) => name));
});

test.each(functions)(
  '$file: $name has a sentence on what it does, the locks it takes and the errors it raises',
  (one) => {
    expect(one.contract).toMatch(/^[A-Zp].{15,}\.$/);
    expect(one.contract).not.toMatch(/^The same/);
    expect([one.locks, one.raises]).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
  },
);

/** Our codes that a function raises, itself or through functions that it calls. */
function raised(name: string, seen: Set<string> = new Set()): Set<string> {
  if (seen.has(name)) return new Set();
  seen.add(name);
  const { text } = functions.find((one) => one.name === name)!;
  const codes = [...text.matchAll(/animus\.raise\('(\w{5})'/g)].map(([, code]) => code!);
  if (/raise insufficient_privilege/.test(text)) codes.push('42501');
  if (/raise check_violation/.test(text)) codes.push('23514');
  // Text in string literals is not a call.
  const calls = [...text.replaceAll(/'[^'\n]*'/g, '').matchAll(/animus\.(\w+)\(/g)].map(([, called]) => called!);
  // Inserting work runs its trigger.
  if (/insert into animus\.(work_items|own_work)/.test(text)) calls.push('work_items_before_insert');
  const below = calls
    .filter((called) => functions.some((one) => one.name === called))
    .flatMap((called) => [...raised(called, seen)]);
  return new Set([...codes, ...below]);
}

test('every error that a function raises is in its comment', () => {
  const silent = functions
    // It handles the errors that it catches.
    .filter(({ name }) => !['drain_inbox', 'try_item', 'find_faults'].includes(name))
    .map(({ name, raises }) => ({ name, missing: [...raised(name)].filter((code) => !raises.includes(code)).sort() }))
    .filter(({ missing }) => missing.length > 0);
  expect(silent).toEqual([]);
});

test('the maps of functions in the docs match the comments; after a change: npm run schema', async () => {
  for (const [path, text] of await pagesWithMaps(target.database)) expect(readFileSync(path, 'utf8')).toBe(text);
});
