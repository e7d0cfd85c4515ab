/** Promise: whatever happens to families at once, each wait ends once, nobody waits for what has ended, and nothing deadlocks. */
import { expect, test } from 'vitest';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { testDatabase } from '../../support/database.ts';
import { deadlocksIn, generator, runFamilies, watchRaces } from './random-family.ts';

const pg = testDatabase();

test('random families', async () => {
  await watchRaces(pg.database);
  const db = openPostgres(pg.connectionString, { poolSize: 16 });
  const errors: unknown[] = [];
  for (let run = 0; run < 60 && errors.length === 0; run += 2) {
    const pair = [run, run + 1].map((seed) =>
      runFamilies(db, generator(seed)).catch((error: unknown) => errors.push({ seed, error })),
    );
    await Promise.all(pair);
  }
  await db.close();
  expect(errors).toEqual([]);
  expect(await deadlocksIn(pg.database)).toBe(0);
}, 60_000);
