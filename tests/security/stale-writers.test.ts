/**
 * The promise: a daemon that has lost the lease on an item can write nothing of it, with any function at any moment. The list of functions
 * comes from the database's catalogue (all that take a token), so that a new one cannot be forgotten. The test itself is tested: with the
 * check removed from any one of them, it fails.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { emptyQueue } from '../store/work/queue-driver.ts';
import { testDatabase } from '../support/database.ts';
import { FENCED_CALLS, fencedFunctions, LOCKS_NOTHING } from '../support/fencing/fenced-calls.ts';
import { MUTATIONS, withMutation } from '../support/fencing/mutations.ts';
import { violations } from '../support/fencing/violations.ts';

const target = testDatabase();
const NAMES = Object.keys(FENCED_CALLS);
const LOCKS = ['begin_foci', 'complete_answered', 'end_items', 'extend_leases', 'give_back', 'hold_lease'];

let database: Database;
beforeAll(() => {
  // A modified function may wait where it should not. Of the server, such a short time-out would be raised.
  const url = new URL(target.connectionString);
  url.searchParams.set('options', '-c statement_timeout=1500');
  database = openPostgres(url.href);
});
afterAll(() => database.close());

/** All violations, or with `first` only the first one, which is enough to know that there are some. */
async function violationsOf(names: readonly string[], first = false): Promise<string[]> {
  await emptyQueue(database);
  const found: string[] = [];
  for await (const violation of violations(database, names)) {
    found.push(violation);
    if (first) break;
  }
  return found;
}

test('the list contains all functions that take a token', async () => {
  expect(await fencedFunctions(database)).toEqual(NAMES.toSorted());
});

test('none of them accepts a stale writer, however the lease was lost or is being lost', async () => {
  expect(await violationsOf(NAMES)).toEqual([]);
});

test.each([
  ...NAMES.map((name) => [name, 'without its token check'] as const),
  ...LOCKS.map((name) => [name, 'without its row lock'] as const),
])('%s %s is found out', async (name, mutation) => {
  const found: string[] = [];
  const mutated = await withMutation(database, name, mutation, async () => {
    found.push(...(await violationsOf([name], true)));
  });
  expect(mutated).toBe(true);
  expect(found).toHaveLength(1);
});

test('only the listed functions lock rows themselves; every other fenced function calls them', async () => {
  const rows = await database.query<{ name: string; body: string }>(
    `select proname as name, prosrc as body from pg_proc where pronamespace = 'animus'::regnamespace and proname = any ($1) order by 1`,
    [NAMES],
  );
  const locking = rows.filter(({ body }) => MUTATIONS['without its row lock'](body) !== body).map(({ name }) => name);
  expect(locking).toEqual(LOCKS);
  const free = rows.filter(
    ({ name, body }) =>
      !LOCKS.includes(name) &&
      !/animus\.(hold_lease|hold_focus|hold_to_cancel|lock_soon|end_items|complete_batch|begin_turn|record_turn|revise_memory)\(/.test(
        body,
      ),
  );
  expect(free.map(({ name }) => name)).toEqual([...LOCKS_NOTHING]);
});
