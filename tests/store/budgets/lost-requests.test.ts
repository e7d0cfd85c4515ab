/** Promise: under a limit, and in a batch, each request that may have cost something and returned nothing counts once, in the turn and in the account. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  answerRequest,
  confirmBatch,
  holdPoller,
  markBatch,
  withdrawAnswer,
} from '../../../src/features/batches/store.ts';
import { closeRequest, putTurn, readRequestUnderWay } from '../../../src/store/transcript/batch-requests.ts';
import { beginTurn as beginInBatch } from '../../../src/store/transcript/begin-turn.ts';
import { beginSideCall, giveBackTurn, loseTurn } from '../../../src/store/transcript/budgeted-turns.ts';
import { recordSideCall } from '../../../src/store/transcript/turns.ts';
import { cancelWork } from '../../../src/store/work/operate.ts';
import { endCancelled, failWork } from '../../../src/store/work/work.ts';
import { beginFocus, type FocusedWork } from '../../support/begun-focus.ts';
import { beginTurn } from '../../support/begun-turn.ts';
import { beginHeld, beginLimited, limit, settled, takeUp } from '../../support/budgets.ts';
import { testDatabase } from '../../support/database.ts';
import { COUNTED_ANSWER, LOST, lostOf, NOTHING, recordAfter, SUMMARY } from '../../support/lost-requests.ts';

const pg = testDatabase();

describe('under a limit, the account has what the turns have', () => {
  const limited = async () => {
    const name = `f${randomUUID()}`;
    await limit(pg.database, 'item', name, 10);
    return { name, work: await beginLimited(pg.database, name) };
  };

  test('for a request that failed, and one that was given back', async () => {
    const { work } = await limited();
    await beginHeld(pg.database, work, 1, 0.4);
    await loseTurn(pg.database, work.key, 1, 1);
    expect(await lostOf(pg.database, work)).toEqual(LOST);
    await beginHeld(pg.database, work, 1, 0.3);
    await giveBackTurn(pg.database, work.key, 1);
    expect(await settled(pg.database, 'item', work.id)).toBe(0.4);
    expect(await lostOf(pg.database, work)).toEqual(LOST);
  });

  test('for a daemon that was killed, when another one goes on, and when nobody does', async () => {
    const { name, work } = await limited();
    await beginHeld(pg.database, work, 1, 0.4);
    await pg.database.query('select animus.release_work($1, $2)', [work.id, work.leaseToken]);
    const again = await takeUp(pg.database, work.id, name, randomUUID());
    await beginHeld(pg.database, again, 1, 0.3);
    expect(await lostOf(pg.database, work)).toEqual({ ...LOST, open: true });
    await failWork(pg.database, again, { code: 'x', message: 'broken' }, null);
    expect(await settled(pg.database, 'item', work.id)).toBe(0.7);
    expect(await lostOf(pg.database, work)).toEqual({ ...LOST, requests: 2, usd: 0.7 });
  });

  test('for a summary that was lost, or whose daemon was killed', async () => {
    const { work } = await limited();
    await beginHeld(pg.database, work, 1, 0.1);
    await recordAfter(pg.database, work, 1, 0, 0.1);
    await beginSideCall(pg.database, work.key, { usd: 0.4, tokens: 1, request: randomUUID() }, SUMMARY);
    await loseTurn(pg.database, work.key, 0, 1);
    await beginSideCall(pg.database, work.key, { usd: 0.3, tokens: 1, request: randomUUID() }, SUMMARY);
    await recordSideCall(pg.database, work.key, COUNTED_ANSWER, 0.05);
    await beginSideCall(pg.database, work.key, { usd: 0.2, tokens: 1, request: randomUUID() }, SUMMARY);
    await failWork(pg.database, work, { code: 'x', message: 'killed' }, null);
    expect(await settled(pg.database, 'item', work.id)).toBeCloseTo(0.1 + 0.4 + 0.05 + 0.2, 9);
    expect(await lostOf(pg.database, work)).toEqual({ ...LOST, requests: 2, usd: 0.6 });
  });
});

describe('a turn in a batch', () => {
  const beginForBatch = (work: FocusedWork) =>
    beginInBatch(pg.database, work.key, 1, { usd: 0.4, tokens: 9, request: randomUUID() }, [], true);
  const put = async (provider: string) => {
    const name = `f${randomUUID()}`;
    await limit(pg.database, 'item', name, 10);
    const work = await beginLimited(pg.database, name);
    await beginForBatch(work);
    const written = { provider, place: provider, path: '/x', model: 'm', headers: {}, body: '{}', reserved_usd: 0.4 };
    await putTurn(pg.database, work.key, 1, written);
    const { id } = (await readRequestUnderWay(pg.database, work.key, 1))!;
    return { work, request: id };
  };
  const send = async (provider: string) => {
    const token = (await holdPoller(pg.database, provider, randomUUID(), 60))!;
    const bounds = { gatherSeconds: 0, maxRequests: 10, maxBytes: 1_000_000, unclearSeconds: 60 };
    return markBatch(pg.database, provider, token, bounds);
  };
  const cancel = async (work: FocusedWork) => {
    await cancelWork(pg.database, work.id);
    await endCancelled(pg.database, work);
  };

  test('without a limit loses nothing before its request is put, and reserves then', async () => {
    const work = await beginFocus(pg.database);
    for (let kills = 0; kills < 2; kills += 1) await beginTurn(pg.database, work.key, 1, 0, [], null);
    expect(await lostOf(pg.database, work)).toEqual(NOTHING);
    const written = { provider: 'p', place: 'p', path: '/x', model: 'm', headers: {}, body: '{}', reserved_usd: 0.4 };
    await putTurn(pg.database, work.key, 1, written);
    expect(await lostOf(pg.database, work)).toEqual({ ...NOTHING, open: true });
    await loseTurn(pg.database, work.key, 1, 1);
    expect(await lostOf(pg.database, work)).toEqual(LOST);
  });

  test('under limits costs nothing if its daemon is killed before its request is put', async () => {
    const name = `f${randomUUID()}`;
    for (const unit of ['usd', 'tokens']) await limit(pg.database, 'item', name, 10, { unit });
    let work = await beginLimited(pg.database, name);
    for (let kills = 0; kills < 2; kills += 1) {
      expect(await beginForBatch(work)).toMatchObject({ permit: 'go' });
      await pg.database.query('select animus.release_work($1, $2)', [work.id, work.leaseToken]);
      work = await takeUp(pg.database, work.id, name, randomUUID());
    }
    await beginForBatch(work);
    expect(await lostOf(pg.database, work)).toEqual(NOTHING);
    await failWork(pg.database, work, { code: 'x', message: 'broken' }, null);
    expect(await settled(pg.database, 'item', work.id)).toBe(0);
    expect(await lostOf(pg.database, work)).toEqual(NOTHING);
  });

  test('that the provider did not run costs nothing, if its daemon is killed before it is put again', async () => {
    const { work, request } = await put('not run');
    await confirmBatch(pg.database, (await send('not run'))!.id, 'not run');
    await answerRequest(pg.database, request, '{"ended":"expired"}');
    await closeRequest(pg.database, work.key, request, 'free');
    await failWork(pg.database, work, { code: 'x', message: 'killed' }, null);
    expect(await settled(pg.database, 'item', work.id)).toBe(0);
    expect(await lostOf(pg.database, work)).toEqual(NOTHING);
  });

  test('that was never sent costs nothing', async () => {
    const { work } = await put('unsent');
    await cancel(work);
    await send('unsent');
    expect(await settled(pg.database, 'item', work.id)).toBe(0);
    expect(await lostOf(pg.database, work)).toEqual(NOTHING);
  });

  test.each([
    ['with its counts', { model: 'm', usage: COUNTED_ANSWER.usage, costUsd: 0.1 }, 0.1, NOTHING],
    ['without counts', { model: 'm', usage: null, costUsd: null }, 0.4, LOST],
    ['with an error', null, 0, NOTHING],
  ])('that is answered %s when its item has ended', async (how, paid, spent, lost) => {
    const { work, request } = await put(how);
    await confirmBatch(pg.database, (await send(how))!.id, how);
    await cancel(work);
    await answerRequest(pg.database, request, '{"status":200}');
    await withdrawAnswer(pg.database, request, paid);
    expect(await settled(pg.database, 'item', work.id)).toBe(spent);
    expect(await lostOf(pg.database, work)).toEqual(lost);
  });

  test('whose answer failed is given back before it is asked again', async () => {
    const { work, request } = await put('failed');
    await confirmBatch(pg.database, (await send('failed'))!.id, 'failed');
    await answerRequest(pg.database, request, '{"status":500}');
    await closeRequest(pg.database, work.key, request, 'failed');
    await giveBackTurn(pg.database, work.key, 1);
    expect(await settled(pg.database, 'item', work.id)).toBe(0);
    expect(await lostOf(pg.database, work)).toEqual(NOTHING);
  });
});
