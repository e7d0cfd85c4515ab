/** A claim does not wait for the disk: what a crash of the server takes along must not leave two owners. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { completeWork } from '../../src/store/work.ts';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts';
import { crashServer, keepCommitsInMemory } from '../support/server-crash.ts';
import { claim, faculties, insertWork, startFocus } from './queue-driver.ts';

let server: PostgresServer;
let db: Database;
beforeAll(async () => {
  server = await startPostgresServer();
  db = openPostgres(server.url);
  await migrate(db);
});
afterAll(async () => {
  await db.close();
  await server.stop();
});

test('a claim that the crash took along holds nothing, and its token is not given out again', async () => {
  const FACULTIES = faculties('clerk');
  const id = await insertWork(db, { faculty: 'clerk' });
  await keepCommitsInMemory(db);
  const [forgotten] = await claim(db, 1, FACULTIES, randomUUID());
  await crashServer(db);

  // The test is none unless the crash really took it along.
  expect(await db.query('select state, attempts from animus.work_items')).toEqual([{ state: 'queued', attempts: 0 }]);
  const [again] = await claim(db, 1, FACULTIES, randomUUID());
  expect([forgotten!.id, again!.id]).toEqual([id, id]);
  expect(again!.leaseToken).not.toBe(forgotten!.leaseToken);
  await expect(startFocus(db, forgotten!)).rejects.toMatchObject({ code: 'work.lease_lost' });
  await expect(completeWork(db, forgotten!, {}, null)).rejects.toMatchObject({ code: 'work.lease_lost' });
  await completeWork(db, again!, {}, null);
});
