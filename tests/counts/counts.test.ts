/** Promise: what an agent does all day costs what the table says. `npm run counts -- --write` writes the table. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { databaseUrl, testDatabase } from '../support/database.ts';
import { createLogin, dropLogins } from '../support/role-login.ts';
import { countCommands } from './cases/commands.ts';
import { countFaculties } from './cases/faculties.ts';
import { countFirstRequest } from './cases/first-request.ts';
import { countItems, countRetention } from './cases/items.ts';
import { countRequests } from './cases/requests.ts';
import { countTurns } from './cases/turns.ts';
import { canCount, type Meter, openMeter } from './meter.ts';
import { type Counts, differences, readTable, WRITE_VARIABLE, writeTable } from './table.ts';

const { connectionString: url, ...target } = testDatabase();
const table = readTable();
const logins: string[] = [];
const counted: Record<string, Counts[string]> = {};
const done = new Set<string>();
let admin: Database;
let meter: Meter;

beforeAll(async () => {
  admin = openPostgres(databaseUrl('postgres'), { poolSize: 1, applicationName: 'animus-test-admin' });
  meter = await openMeter(admin, url);
});
afterAll(async () => {
  await meter.close();
  await admin.close();
  await dropLogins(logins);
});

const CASES = [
  ['turns', () => countTurns(url, meter)],
  ['lives of items', () => countItems(url, meter)],
  ['retention', () => countRetention(owner(), url, meter)],
  ['requests to the API', async () => countRequests(owner(), await createLogin(url, 'animus_gateway', logins), meter)],
  ['the first request of a focus', () => countFirstRequest(owner(), url)],
  ['commands', () => countCommands(owner(), url)],
  // Last, since what it leaves in the database shifts the buffers of others.
  ['turns of a daemon', () => countFaculties(owner(), url, meter)],
] as const;

test.for(CASES)('%s', async ([name, count], { skip }) => {
  if (!(await canCount(admin))) skip('the server is not that of the npm package');
  const rows: Counts = await count();
  Object.assign(counted, rows);
  done.add(name);
  if (process.env[WRITE_VARIABLE] !== undefined) return;
  const lines = differences(table, rows);
  if (lines.length > 0)
    throw new Error(
      `${lines.join('\n')}\nIf that is meant: npm run counts -- --write, and have the changed rows reviewed.`,
    );
});

test('the table has no row that nobody counts', () => {
  if (done.size === 0) return;
  expect([...done]).toEqual(CASES.map(([name]) => name));
  if (process.env[WRITE_VARIABLE] !== undefined) writeTable(counted, table);
  else expect(Object.keys(table)).toEqual(Object.keys(counted));
});

function owner(): Database {
  return target.database;
}
