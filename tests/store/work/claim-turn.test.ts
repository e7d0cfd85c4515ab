import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import type { Database, Queryable } from '../../../src/store/sql/database.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { migrateFirstSchema, versionsSince } from '../../support/first-schema.ts';
import { insertWork } from './queue-driver.ts';

const CLAIM = `select id from animus.claim_work(gen_random_uuid(), '{"clerk": {"max": 1}}', 5, '1 minute')`;

const waiting = testDatabase({ empty: true });

test('a claim of version 0.1.0 that waits while the functions are replaced takes turns with the new ones', async () => {
  const db = waiting.open({ poolSize: 8 });
  await migrateFirstSchema(db);
  await insertWork(db, { faculty: 'clerk' });
  await insertWork(db, { faculty: 'clerk' });

  const stranger = await openTransaction(db);
  await stranger.tx.query(`select pg_advisory_xact_lock(hashtextextended('animus.claim', 0))`);
  const old = await openTransaction(db);
  const oldClaim = old.tx.query(CLAIM);
  await eventually('the old claim waits', () => waitsFor(db, old.pid, 'advisory'));
  await migrate(db);
  const current = await openTransaction(db);
  expect(await current.tx.query(CLAIM)).toHaveLength(1);
  await stranger.end();
  await eventually('the old claim waits for the new one', () => waitsFor(db, old.pid, 'relation'));
  await current.end();
  expect(await oldClaim).toEqual([]);
  await old.end();
});

const underWay = testDatabase({ empty: true });

test('replacing the functions waits for a claim of version 0.1.0 that is running', async () => {
  const db = underWay.open({ poolSize: 8 });
  await migrateFirstSchema(db);
  await migrateFirstSchema(db, versionsSince().at(-1));
  await insertWork(db, { faculty: 'clerk' });
  const old = await openTransaction(db);
  // The point in a claim where it has its turn and searches for work.
  await old.tx.query(`select pg_advisory_xact_lock(hashtextextended('animus.claim', 0))`);
  await old.tx.query('select from animus.work_items');
  await expect(migrate(db, { patienceMs: 1 })).rejects.toThrow(/functions\/\*\.sql failed: other sessions held/);
  await old.end();
  expect((await migrate(db)).functions).toContain('03_claim.sql');
});

/** A transaction that stays open until `end`, which commits it. */
async function openTransaction(db: Database): Promise<{ tx: Queryable; pid: number; end(): Promise<void> }> {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<Queryable>();
  const over = db.transaction(async (tx) => {
    begin(tx);
    await ended;
  });
  const tx = await begun;
  onTestFinished(() => end());
  const [self] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
  return {
    tx,
    pid: self!.pid,
    end() {
      end();
      return over;
    },
  };
}

async function waitsFor(db: Database, pid: number, locktype: string): Promise<true | null> {
  const found = await db.query('select from pg_locks where pid = $1 and not granted and locktype = $2', [
    pid,
    locktype,
  ]);
  return found.length > 0 ? true : null;
}
