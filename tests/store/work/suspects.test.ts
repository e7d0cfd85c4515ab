/** Promise: work that ends daemons is dead in the end, kills from outside condemn nothing early, and nothing that merely ran beside it is, or waits for long. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { beginEnding, registerDaemon, reportBlock, sessionName } from '../../../src/store/work/daemons.ts';
import { type Claim, claimReadyWork, completeWork, extendLeases, releaseWork } from '../../../src/store/work/work.ts';
import { type DatabaseClock, fakeDatabaseClock } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import { emptyQueue, faculties, insertWork, LEASE_SECONDS, readWork, startFocus, stateOf } from './queue-driver.ts';

const target = testDatabase();
let clock: DatabaseClock;
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
  const row = { id, host: 'h', pid: 1, version: '1', maxConcurrent: 50, faculties: {}, problems: [], session: 'named' };
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

describe('when the process of a daemon ends', () => {
  test('what it held runs alone next, one item after the other, and counts no attempt', async () => {
    const [first, second] = [await daemon(), await daemon()];
    const ids = [await insertWork(target.database), await insertWork(target.database)];
    await run(await take(first));
    await kill(first, second);
    const alone = await take(second);
    expect(alone).toMatchObject({ alone: true });
    expect(alone.work).toHaveLength(1);
    for (const id of ids) expect(await readWork(target.database, id)).toMatchObject({ attempts: 0, crashes: 0 });
    await insertWork(target.database);
    expect(await take(second)).toMatchObject({ alone: true, work: [] });
    await finish(alone);
    const next = await take(second);
    expect(next).toMatchObject({ alone: true, work: [{ id: ids.find((id) => id !== alone.work[0]!.id) }] });
    await finish(next);
    expect(await take(second)).toMatchObject({ alone: false, work: [{}] });
  });

  test('the item that makes the loop of the next one stand still, alone, is dead, and the others are not suspected any more', async () => {
    const [first, second, third] = [await daemon(), await daemon(), await daemon()];
    for (let n = 0; n < 5; n++) await insertWork(target.database);
    await run(await take(first));
    await kill(first, second);
    const alone = await take(second);
    await run(alone);
    await reportBlock(target.database, second, { seconds: 3, over: false });
    await disconnect(second);
    await clock.advance(LEASE_SECONDS + 1);
    await take(third, 1);
    await clock.advance(3);
    const rest = await take(third);
    const poison = alone.work[0]!.id;
    expect(await readWork(target.database, poison)).toMatchObject({ state: 'dead', error: { code: 'work.poison' } });
    expect(rest).toMatchObject({ alone: false });
    expect(rest.work).toHaveLength(3);
  });

  test('a loop that goes on after it stood still is no proof', async () => {
    const [first, second, third] = [await daemon(), await daemon(), await daemon()];
    const id = await insertWork(target.database);
    await run(await take(first));
    await kill(first, second);
    await run(await take(second));
    await reportBlock(target.database, second, { seconds: 3, over: false });
    await clock.advance(1);
    // The report of its end was lost, and a heartbeat came.
    await extendLeases(target.database, second, [], LEASE_SECONDS);
    await kill(second, third);
    await take(third);
    expect(await stateOf(target.database, id)).not.toBe('dead');
    expect(await deathsOf(id)).toBe(2);
  });

  test('ends for an unknown reason condemn at max_attempts, and only without progress', async () => {
    const [first, second, third, fourth, fifth] = [
      await daemon(),
      await daemon(),
      await daemon(),
      await daemon(),
      await daemon(),
    ];
    const id = await insertWork(target.database);
    await run(await take(first));
    await kill(first, second);
    await run(await take(second));
    await kill(second, third);
    const claim = await take(third);
    expect(claim).toMatchObject({ alone: true, work: [{ id }] });
    expect(await deathsOf(id)).toBe(2);
    await run(claim);
    await turn(id, 2);
    await kill(third, fourth);
    await run(await take(fourth));
    expect(await deathsOf(id)).toBe(1);
    await kill(fourth, fifth);
    await run(await take(fifth));
    expect(await deathsOf(id)).toBe(2);
    await turn(id, 1);
    const sixth = await daemon();
    await kill(fifth, sixth);
    await take(sixth);
    expect(await readWork(target.database, id)).toMatchObject({ state: 'dead', error: { code: 'work.poison' } });
  });

  test.each([
    ['done', 1],
    ['in_doubt', 2],
  ])('a turn whose call is %s leaves %i death(s)', async (state, deaths) => {
    const [first, second, third] = [await daemon(), await daemon(), await daemon()];
    const id = await insertWork(target.database);
    await run(await take(first));
    await kill(first, second);
    await run(await take(second));
    await clock.advance(1);
    await target.database.query(
      `with t as (insert into animus.turns (focus_id, turn, response, begun_at, recorded_at)
                  select id, 1, '{}', animus.now(), animus.now() from animus.foci where work_item_id = $1 returning focus_id)
       insert into animus.tool_calls (focus_id, turn, call_id, position, name, input, state, output, ended_at)
       select focus_id, 1, 'a', 0, 'bash', '{}', $2, '', animus.now() from t`,
      [id, state],
    );
    await turn(id, 1);
    await kill(second, third);
    await take(third);
    expect(await deathsOf(id)).toBe(deaths);
  });

  test('a whole turn beyond the one under way clears an item, and the others are claimed beside it', async () => {
    const [first, second, third] = [await daemon(), await daemon(), await daemon()];
    for (let n = 0; n < 2; n++) await insertWork(target.database);
    await run(await take(first));
    await kill(first, second);
    const { work } = await take(second);
    await turn(work[0]!.id, 1);
    expect(await take(second)).toMatchObject({ alone: true, work: [] });
    await turn(work[0]!.id, 1);
    // The other one is tested as soon as the daemon is empty.
    expect(await take(second)).toMatchObject({ alone: true, work: [] });
    expect(await take(third)).toMatchObject({ alone: true, work: [{}] });
    await kill(second, third);
    expect(await deathsOf(work[0]!.id)).toBe(1);
    expect(await stateOf(target.database, work[0]!.id)).not.toBe('dead');
  });

  test('a fleet of 200 suspects is back after a minute, whatever was tested', async () => {
    const [first, second] = [await daemon(), await daemon()];
    await target.database.query(
      `insert into animus.work_items (faculty) select 'engineer' from generate_series(1, 200)`,
    );
    await run(await take(first, 200));
    await kill(first, second);
    // Reclaims come in the size of a claim.
    const tested: string[] = [];
    for (let seconds = 0; seconds < 61; seconds += 5) {
      const { alone, work } = await take(second, 200);
      expect(alone).toBe(true);
      tested.push(...work.map(({ id }) => id));
      await clock.advance(5);
      await target.database.query(
        `update animus.work_items set lease_expires_at = animus.now() + interval '1 min' where lease_owner = $1`,
        [second],
      );
    }
    expect(tested).toHaveLength(1);
    const rest = await take(second, 200);
    const [held] = await target.database.query<{ n: number }>('select animus.held_by($1) as n', [second]);
    expect(rest.alone).toBe(false);
    expect(held!.n).toBe(200);
    expect(rest.work).toHaveLength(199);
  });

  test('a daemon that is busy makes room, one at a time, and the other one goes on', async () => {
    const [first, second, third] = [await daemon(), await daemon(), await daemon()];
    await insertWork(target.database);
    await run(await take(first));
    await insertWork(target.database);
    await insertWork(target.database);
    const busy = await take(second, 1);
    const other = await take(third, 1);
    await disconnect(first);
    await clock.advance(LEASE_SECONDS - 5);
    for (const [id, { work }] of [
      [second, busy],
      [third, other],
    ] as const)
      await extendLeases(target.database, id, work, 600);
    await clock.advance(6);
    await take(second);
    await clock.advance(3);
    expect(await take(second)).toMatchObject({ alone: true, work: [] });
    await insertWork(target.database);
    expect(await take(third)).toMatchObject({ alone: false, work: [{}] });
    await finish(busy);
    expect(await take(second)).toMatchObject({ alone: true, work: [{ id: expect.any(String) }] });
  });
});

describe('no death of the item is', () => {
  test.each(['frozen', 'asked to end', 'of another version'])(
    'the end of the lease of a daemon that is %s',
    async (what) => {
      const [first, second] = [await daemon(), await daemon()];
      const id = await insertWork(target.database);
      await run(await take(first));
      if (what === 'asked to end') await beginEnding(target.database, first);
      if (what === 'of another version')
        await target.database.query('update animus.daemons set session = null where id = $1', [first]);
      if (what !== 'frozen') await disconnect(first);
      await clock.advance(LEASE_SECONDS + 1);
      expect(await take(second)).toMatchObject({ alone: false, work: [{ id }] });
      expect(await deathsOf(id)).toBe(0);
    },
  );

  test('a restart of the server', async () => {
    const [first, second] = [await daemon(), await daemon()];
    const id = await insertWork(target.database);
    await run(await take(first));
    await disconnect(first);
    await target.database.query(
      `update animus.daemons set seen_at = pg_postmaster_start_time() - interval '1 s' where id = $1`,
      [first],
    );
    await clock.advance(LEASE_SECONDS + 1);
    expect(await take(second)).toMatchObject({ alone: false, work: [{ id }] });
  });

  test('a cut: the daemon comes back, and its work is not suspected any more', async () => {
    const [first, second] = [await daemon(), await daemon()];
    const ids = [await insertWork(target.database), await insertWork(target.database)];
    await run(await take(first));
    await kill(first, second);
    const alone = await take(second);
    await clock.advance(1);
    await extendLeases(target.database, first, [], LEASE_SECONDS);
    await releaseWork(target.database, alone.work[0]!, { delaySeconds: 0, reason: 'a deploy' });
    const again = await take(second);
    expect(again.alone).toBe(false);
    expect(again.work.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    for (const id of ids) expect(await deathsOf(id)).toBe(0);
  });

  test('a lease that runs out while the daemon that runs it alone is frozen: it stays suspected', async () => {
    const [first, second, third] = [await daemon(), await daemon(), await daemon()];
    const id = await insertWork(target.database);
    await run(await take(first));
    await kill(first, second);
    await run(await take(second));
    await clock.advance(LEASE_SECONDS + 1);
    await take(third);
    expect(await stateOf(target.database, id)).not.toBe('dead');
    expect(await deathsOf(id)).toBe(1);
  });
});

test('a person who retries poison begins anew', async () => {
  const [first, second, third] = [await daemon(), await daemon(), await daemon()];
  const id = await insertWork(target.database);
  await run(await take(first));
  await kill(first, second);
  await run(await take(second));
  await reportBlock(target.database, second, { seconds: 3, over: false });
  await kill(second, third);
  await take(third);
  expect(await stateOf(target.database, id)).toBe('dead');
  await target.database.query('select animus.retry_work($1)', [id]);
  expect(await take(third)).toMatchObject({ alone: false, work: [{ id }] });
  expect(await deathsOf(id)).toBe(0);
});
