/** Promise: what a daemon held when its process ended runs alone first, and nothing waits for that for long. */
import { describe, expect, test } from 'vitest';
import { beginEnding } from '../../../src/store/work/daemons.ts';
import { extendLeases, releaseWork } from '../../../src/store/work/work.ts';
import { endingDaemons } from './ending-daemons.ts';
import { insertWork, LEASE_SECONDS, readWork, stateOf } from './queue-driver.ts';

const { advance, daemon, deathsOf, disconnect, finish, kill, run, take, target, turn } = endingDaemons();

describe('when the process of a daemon ends', () => {
  test('what it held runs alone next, one item after the other, and counts no attempt', async () => {
    const [first, second] = [await daemon(), await daemon()];
    const ids = [await insertWork(target.database), await insertWork(target.database)];
    await run(await take(first));
    await kill(first, second);
    const alone = await take(second);
    expect(alone).toMatchObject({ alone: 'tests' });
    expect(alone.work).toHaveLength(1);
    for (const id of ids) expect(await readWork(target.database, id)).toMatchObject({ attempts: 0, crashes: 0 });
    await insertWork(target.database);
    expect(await take(second)).toMatchObject({ alone: 'tests', work: [] });
    await finish(alone);
    const next = await take(second);
    expect(next).toMatchObject({ alone: 'tests', work: [{ id: ids.find((id) => id !== alone.work[0]!.id) }] });
    await finish(next);
    expect(await take(second)).toMatchObject({ alone: null, work: [{}] });
  });

  test.each([
    ['first', '-1 s'],
    ['last', '1 s'],
  ])(
    'what it had only claimed goes back as it was, and is not suspected, while something was running whose lease ends %s',
    async (_when, later) => {
      const [first, second] = [await daemon(), await daemon()];
      const began = await insertWork(target.database);
      await run(await take(first));
      const waited = [await insertWork(target.database), await insertWork(target.database)];
      await take(first);
      await target.database.query(
        'update animus.work_items set lease_expires_at = lease_expires_at + $2::interval where id = $1',
        [began, later],
      );
      await kill(first, second);
      const alone = await take(second);
      expect(alone).toMatchObject({ alone: 'tests', work: [{ id: began }] });
      for (const id of waited) {
        expect(await readWork(target.database, id)).toMatchObject({
          state: 'queued',
          attempts: 0,
          unstarted_claims: 0,
        });
        expect(await deathsOf(id)).toBe(0);
      }
      await finish(alone);
      const next = await take(second);
      expect(next).toMatchObject({ alone: null, work: waited.map((id) => ({ id })) });
    },
  );

  test('all that it had only claimed is suspected if nothing was running: one of these may have ended it', async () => {
    const [first, second] = [await daemon(), await daemon()];
    const ids = [await insertWork(target.database), await insertWork(target.database)];
    await take(first);
    await kill(first, second);
    expect(await take(second)).toMatchObject({ alone: 'tests', work: [{}] });
    for (const id of ids) expect(await deathsOf(id)).toBe(1);
  });

  test('a whole turn beyond the one under way clears an item, and the others are claimed beside it', async () => {
    const [first, second, third] = [await daemon(), await daemon(), await daemon()];
    for (let n = 0; n < 2; n++) await insertWork(target.database);
    await run(await take(first));
    await kill(first, second);
    const { work } = await take(second);
    await turn(work[0]!.id, 1);
    expect(await take(second)).toMatchObject({ alone: 'tests', work: [] });
    await turn(work[0]!.id, 1);
    // The other one is tested as soon as the daemon is empty.
    expect(await take(second)).toMatchObject({ alone: 'clears', work: [] });
    expect(await take(third)).toMatchObject({ alone: 'tests', work: [{}] });
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
      expect(alone).not.toBeNull();
      tested.push(...work.map(({ id }) => id));
      await advance(5);
      await target.database.query(
        `update animus.work_items set lease_expires_at = animus.now() + interval '1 min' where lease_owner = $1`,
        [second],
      );
    }
    expect(tested).toHaveLength(1);
    const rest = await take(second, 200);
    const [held] = await target.database.query<{ n: number }>('select animus.held_by($1) as n', [second]);
    expect(rest.alone).toBeNull();
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
    await advance(LEASE_SECONDS - 5);
    for (const [id, { work }] of [
      [second, busy],
      [third, other],
    ] as const)
      await extendLeases(target.database, id, work, 600);
    await advance(6);
    await take(second);
    await advance(3);
    expect(await take(second)).toMatchObject({ alone: 'clears', work: [] });
    await insertWork(target.database);
    expect(await take(third)).toMatchObject({ alone: null, work: [{}] });
    // A daemon that makes room says so at each claim: one that has not for three seconds does not.
    await advance(3);
    expect(await take(third)).toMatchObject({ alone: 'clears', work: [] });
    await finish(busy);
    expect(await take(second)).toMatchObject({ alone: 'tests', work: [{ id: expect.any(String) }] });
  });
});

describe('while one daemon tests', () => {
  test.each([
    { live: 2, testing: 1 },
    { live: 5, testing: 2 },
  ])('$testing of $live do, and the others go on with the queue', async ({ live, testing }) => {
    const first = await daemon();
    for (let n = 0; n < 5; n++) await insertWork(target.database);
    await run(await take(first));
    const others: string[] = [];
    for (let n = 0; n < live; n++) others.push(await daemon());
    await kill(first, others[0]!);
    await insertWork(target.database);
    for (const each of others) await extendLeases(target.database, each, [], LEASE_SECONDS);
    const claims = [];
    for (const each of others) claims.push(await take(each));
    expect(claims.map(({ alone }) => alone).filter((alone) => alone === 'tests')).toHaveLength(testing);
    expect(claims[testing]).toMatchObject({ alone: null, work: [{}] });
  });

  test('the only one that is left tests, whatever others were there', async () => {
    const [first, second, third] = [await daemon(), await daemon(), await daemon()];
    await insertWork(target.database);
    await run(await take(first));
    await kill(first, third);
    await disconnect(second);
    expect(await take(third)).toMatchObject({ alone: 'tests', work: [{}] });
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
      await advance(LEASE_SECONDS + 1);
      expect(await take(second)).toMatchObject({ alone: null, work: [{ id }] });
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
    await advance(LEASE_SECONDS + 1);
    expect(await take(second)).toMatchObject({ alone: null, work: [{ id }] });
  });

  test('a cut: the daemon comes back, and its work is not suspected any more', async () => {
    const [first, second] = [await daemon(), await daemon()];
    const ids = [await insertWork(target.database), await insertWork(target.database)];
    await run(await take(first));
    await kill(first, second);
    const alone = await take(second);
    await advance(1);
    await extendLeases(target.database, first, [], LEASE_SECONDS);
    await releaseWork(target.database, alone.work[0]!, { delaySeconds: 0, reason: 'a deploy', cause: 'test' });
    const again = await take(second);
    expect(again.alone).toBeNull();
    expect(again.work.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    for (const id of ids) expect(await deathsOf(id)).toBe(0);
  });

  test('a lease that runs out while the daemon that runs it alone is frozen: it stays suspected', async () => {
    const [first, second, third] = [await daemon(), await daemon(), await daemon()];
    const id = await insertWork(target.database);
    await run(await take(first));
    await kill(first, second);
    await run(await take(second));
    await advance(LEASE_SECONDS + 1);
    await take(third);
    expect(await stateOf(target.database, id)).not.toBe('dead');
    expect(await deathsOf(id)).toBe(1);
  });
});
