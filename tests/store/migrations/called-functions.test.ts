/** Promise: every SQL function that the program calls can be called by the roles that it has rights for: none is only a step of others. */
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();
/** For owners of the schema, who migrate it and look for damage. */
const OWNERS: readonly string[] = ['roles', 'grant_roles', 'restore_queues', 'key_among', 'submitter_of'];

test('no statement calls a function that no role may call', async () => {
  const called = new Set<string>();
  for await (const file of glob('src/{store,features}/**/*.ts')) {
    for (const [, name] of readFileSync(file, 'utf8').matchAll(/\banimus\.(\w+)\s*\(/g)) called.add(name!);
  }
  expect(called.size).toBeGreaterThan(100);
  const rows = await target.database.query<{ name: string }>(
    `select p.proname as name from pg_proc p cross join unnest(animus.roles()) r (role)
      where p.pronamespace = 'animus'::regnamespace and p.proname = any ($1) and p.prorettype <> 'trigger'::regtype
      group by 1 having not bool_or(animus.role_may_call(r.role, p.proname, p.prosecdef, p.prosrc))`,
    [[...called]],
  );
  expect(rows.map(({ name }) => name).filter((name) => !OWNERS.includes(name))).toEqual([]);
});
