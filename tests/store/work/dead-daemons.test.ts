/** Promise: nobody removes the containers of a daemon while a lease of its work holds, however long it was not seen. */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { deadDaemons, deregisterDaemon, registerDaemon } from '../../../src/store/work/daemons.ts';
import { claimWork } from '../../../src/store/work/work.ts';
import { type DatabaseClock, fakeDatabaseClock } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import { faculties, insertWork } from './queue-driver.ts';

const target = testDatabase();
let clock: DatabaseClock;
beforeAll(async () => {
  clock = await fakeDatabaseClock(target.database);
});

test('a daemon is dead when it was not seen for two minutes and its last lease has run out, or when it has stopped', async () => {
  const db = target.database;
  const [idle, working, stopped] = [randomUUID(), randomUUID(), randomUUID()];
  for (const id of [idle, working, stopped]) await register(id);
  await insertWork(db);
  // A lease may be as long as an hour. The database was away from this daemon, which works on.
  expect(await claimWork(db, working, faculties('engineer'), 1, 600)).toHaveLength(1);
  await deregisterDaemon(db, stopped);
  expect(await deadDaemons(db)).toEqual([stopped]);
  await clock.advance(150);
  expect((await deadDaemons(db)).toSorted()).toEqual([idle, stopped].toSorted());
  await clock.advance(600);
  expect((await deadDaemons(db)).toSorted()).toEqual([idle, stopped, working].toSorted());
});

function register(id: string): Promise<void> {
  const daemon = { id, host: 'h', pid: 1, version: '1', maxConcurrent: 1, faculties: {}, problems: [] };
  return registerDaemon(target.database, daemon);
}
