/** Drives daemons that end, for the tests of suspected work. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { registerDaemon, sessionName } from '../../../src/store/work/daemons.ts';
import { type Claim, claimReadyWork, completeWork } from '../../../src/store/work/work.ts';
import { type DatabaseClock, fakeDatabaseClock } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import { emptyQueue, faculties, LEASE_SECONDS, startFocus } from './queue-driver.ts';

/** To be called once in a test file: its hooks belong to that file. */
export function endingDaemons() {
  const target = testDatabase();
  let clock!: DatabaseClock;
  beforeAll(async () => {
    clock = await fakeDatabaseClock(target.database);
  });
  const sessions = new Map<string, Database>();
  beforeEach(() => emptyQueue(target.database));
  afterEach(async () => {
    for (const id of sessions.keys()) await disconnect(id);
  });

  const FACULTIES = faculties(['engineer', { suspects: true }]);

  /** A daemon that is connected until `kill`. */
  async function daemon(): Promise<string> {
    const id = randomUUID();
    const own = openPostgres(target.database.connectionString, { applicationName: sessionName(id), poolSize: 1 });
    await own.query('select 1');
    sessions.set(id, own);
    const row = {
      id,
      host: 'h',
      pid: 1,
      version: '1',
      maxConcurrent: 50,
      faculties: {},
      problems: [],
      session: 'named',
    };
    await registerDaemon(target.database, row as Parameters<typeof registerDaemon>[1]);
    return id;
  }

  async function disconnect(id: string): Promise<void> {
    await sessions.get(id)?.close();
    sessions.delete(id);
    await expect
      .poll(() => target.database.query(`select from pg_stat_activity where application_name = $1`, [sessionName(id)]))
      .toEqual([]);
  }

  /** Ends its process, and lets its leases run out; the next claim of the other finds it missing. */
  async function kill(id: string, other: string): Promise<void> {
    await disconnect(id);
    await clock.advance(LEASE_SECONDS + 1);
    await take(other, 0.5);
    await clock.advance(3);
  }

  function take(daemonId: string, limit = 50): Promise<Claim> {
    const request = { daemonId, faculties: FACULTIES, limit: Math.ceil(limit), leaseSeconds: LEASE_SECONDS };
    return claimReadyWork(target.database, request);
  }

  async function run(claim: Claim): Promise<void> {
    for (const work of claim.work) await startFocus(target.database, work);
  }

  async function finish(claim: Claim): Promise<void> {
    for (const work of claim.work) await completeWork(target.database, work, {}, null);
  }

  async function turn(id: string, turns: number): Promise<void> {
    await target.database.query('update animus.work_items set turns = turns + $2 where id = $1', [id, turns]);
  }

  const deathsOf = async (id: string) =>
    (await target.database.query<{ deaths: number }>('select deaths from animus.work_items where id = $1', [id]))[0]!
      .deaths;

  const advance = (seconds: number) => clock.advance(seconds);
  return { target, advance, daemon, disconnect, kill, take, run, finish, turn, deathsOf };
}
