/** Claims ahead of free slots: who may be claimed, in which order, and how items come back. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { type ClaimableFaculty, type ClaimRequest, claimReadyWork, giveBack } from '../../../src/store/work/work.ts';
import { testDatabase } from '../../support/database.ts';
import { listen } from '../postgres/listener.ts';
import { DAEMON, emptyQueue, faculties, insertWork, LEASE_SECONDS, openTransaction, readWork } from './queue-driver.ts';

const target = testDatabase();
beforeEach(() => emptyQueue(target.database));

const SHORT: [string, Partial<ClaimableFaculty>] = ['short', { ahead: 3 }];

async function claim(limit: number, request: Partial<ClaimRequest> = {}) {
  const of = request.faculties ?? faculties(SHORT, 'long');
  const ahead = Object.values(of).reduce((sum, faculty) => sum + (faculty.ahead ?? 0), 0);
  return claimReadyWork(target.database, {
    daemonId: DAEMON,
    faculties: of,
    limit,
    leaseSeconds: LEASE_SECONDS,
    ahead,
    ...request,
  });
}

async function insert(count: number, faculty: string, priority = 0): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await insertWork(target.database, { faculty, priority }));
  return ids;
}

describe('a claim ahead', () => {
  test('takes the items that are next in turn, of faculties that opted in, behind those that get a slot', async () => {
    const ids = await insert(9, 'short');
    const { work } = await claim(2);
    expect(work.map(({ id }) => id)).toEqual(ids.slice(0, 5));
  });

  test('takes nothing of a faculty that did not opt in beyond the free slots', async () => {
    const ids = await insert(9, 'long');
    const { work } = await claim(2);
    expect(work.map(({ id }) => id)).toEqual(ids.slice(0, 2));
  });

  test('stops where an item of another faculty is next in turn and there is no slot for it', async () => {
    await insert(9, 'short');
    const [long] = await insert(1, 'long');
    // By the fewest running: short, long, short … – one slot, and the long one is second.
    expect((await claim(1)).work).toHaveLength(1);
    expect((await claim(0)).work).toEqual([]);
    expect((await claim(1)).work.map(({ id }) => id)[0]).toBe(long);
  });

  test('stops at an item of higher priority of another faculty', async () => {
    await insert(9, 'short');
    await insert(1, 'long', 5);
    expect((await claim(0)).work).toEqual([]);
  });

  test('never exceeds the maximum of a faculty, and each faculty has its own number', async () => {
    await insert(9, 'short');
    await insert(9, 'brief');
    await insert(9, 'single');
    const of = faculties(SHORT, ['brief', { ahead: 1 }], ['single', { ahead: 5, max: 1 }]);
    const { work } = await claim(0, { faculties: of });
    const count = (name: string) => work.filter(({ faculty }) => faculty === name).length;
    expect([count('short'), count('brief'), count('single')]).toEqual([3, 1, 1]);
  });

  test('takes one item per concurrency key', async () => {
    for (let n = 0; n < 3; n++) await insertWork(target.database, { faculty: 'short', concurrency_key: 'k' });
    expect((await claim(0)).work).toHaveLength(1);
  });

  test('leaves the daemon full as long as no slot is free', async () => {
    await target.database.query(`select animus.register_daemon($1, 'host', 1, '0', 2, '{}', '[]')`, [DAEMON]);
    const full = async () =>
      (await target.database.query<{ saturated: boolean }>('select saturated from animus.daemons'))[0]!.saturated;
    await insert(3, 'short');
    expect((await claim(2)).work).toHaveLength(3);
    expect(await full()).toBe(true);
    expect((await claim(0)).work).toHaveLength(0);
    expect(await full()).toBe(true);
    expect((await claim(1)).work).toHaveLength(0);
    expect(await full()).toBe(false);
  });

  describe('of a faculty that yields', () => {
    const yielding = faculties(['short', { ahead: 3, yields: true }]);
    const other = (state: string, serves = '{"short": {}}') =>
      target.database
        .query(
          `with d as (select animus.register_daemon($1, 'other', 1, '0', 2, $2::jsonb, '[]'))
         select count(*) from d`,
          [randomUUID(), serves],
        )
        .then(() => target.database.query(`update animus.daemons set ${state} where host = 'other'`));

    test('takes nothing while another daemon has a free slot for it', async () => {
      await insert(9, 'short');
      await other('saturated = false');
      expect((await claim(2, { faculties: yielding })).work).toHaveLength(2);
      // One that opted in by number does not ask.
      expect((await claim(0)).work).toHaveLength(3);
    });

    test.each([
      ['is full', 'saturated = true', undefined],
      ['has stopped', 'stopped_at = animus.now()', undefined],
      ['was not seen for a minute', `seen_at = animus.now() - interval '61 s'`, undefined],
      ['does not serve it', 'saturated = false', '{"long": {}}'],
      ['has a failing provider for it', 'saturated = false', '{"short": {"held": {}}}'],
    ])('takes items when the other daemon %s', async (_why, state, serves) => {
      await insert(9, 'short');
      await other(state, serves);
      expect((await claim(2, { faculties: yielding })).work).toHaveLength(5);
    });
  });

  test('says which of the faculties that wait in the daemon are paused', async () => {
    expect((await claim(0, { ahead: 0, waiting: ['short', 'long'] })).paused).toEqual([]);
    await target.database.query(`select animus.pause('short')`);
    expect((await claim(0, { ahead: 0, waiting: ['short', 'long'] })).paused).toEqual(['short']);
    await target.database.query(`select animus.pause()`);
    expect((await claim(1, { waiting: ['short', 'long'] })).paused).toEqual(['short', 'long']);
  });
});

test('a pause notifies the daemons, so that they give back what they claimed ahead', async () => {
  const listener = await listen(target.database, 'animus_work_ready');
  await target.database.query(`select animus.pause('short')`);
  await listener.until('animus_work_ready');
  await listener.stop();
});

describe('an item that is given back', () => {
  test('is queued as it was: no attempt, no unstarted claim, its message visible, claimable by others', async () => {
    const [id] = await insert(1, 'short');
    const { work } = await claim(0);
    await giveBack(target.database, work);
    expect(await readWork(target.database, id!)).toMatchObject({
      state: 'queued',
      attempts: 0,
      unstarted_claims: 0,
      lease_owner: null,
      error: null,
      messages: 1,
    });
    expect((await claim(1)).work.map((one) => one.id)).toEqual([id]);
  });

  test('ends as cancelled if that was requested', async () => {
    const [id] = await insert(1, 'short');
    const { work } = await claim(0);
    await target.database.query('select animus.cancel_work($1)', [id]);
    await giveBack(target.database, work);
    expect(await readWork(target.database, id!)).toMatchObject({ state: 'cancelled' });
  });

  test('keeps its new owner if the lease was lost, and stays claimed while its row is locked', async () => {
    const [lost, locked] = await insert(2, 'short');
    const { work } = await claim(0);
    await target.database.query(`update animus.work_items set lease_token = lease_token + 1 where id = $1`, [lost]);
    const open = await openTransaction(target.database, async (tx) => {
      await tx.query('select from animus.work_items where id = $1 for update', [locked]);
    });
    await giveBack(target.database, work);
    await open.end('rollback');
    expect(await readWork(target.database, lost!)).toMatchObject({ state: 'claimed' });
    expect(await readWork(target.database, locked!)).toMatchObject({ state: 'claimed' });
  });
});
