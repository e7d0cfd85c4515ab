/** Promise: without a limit, each request that may have cost something and returned nothing counts once, with what was reserved for it. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { beginSideCall, giveBackTurn, holdEmbedding, loseTurn } from '../../../src/store/transcript/budgeted-turns.ts';
import { answeredTurn, recordSideCall, recordTurn } from '../../../src/store/transcript/turns.ts';
import { cancelWork } from '../../../src/store/work/operate.ts';
import { sayWork } from '../../../src/store/work/say-work.ts';
import { endCancelled, failWork } from '../../../src/store/work/work.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { beginTurn } from '../../support/begun-turn.ts';
import { testDatabase } from '../../support/database.ts';
import { beginFor, COUNTED_ANSWER, LOST, lostOf, NOTHING, recordAfter, SUMMARY } from '../../support/lost-requests.ts';

const pg = testDatabase();

describe('a turn without a limit', () => {
  test('that is begun again for another request has lost the one before', async () => {
    const work = await beginFocus(pg.database);
    await beginFor(pg.database, work, 1, 0.4);
    await beginFor(pg.database, work, 1, 0.5);
    expect(await lostOf(pg.database, work)).toEqual({ ...LOST, open: true });
    await recordAfter(pg.database, work, 1);
    expect(await lostOf(pg.database, work)).toEqual(LOST);
  });

  test('that is begun again for the same request, whose response was lost on the way, has lost nothing', async () => {
    const work = await beginFocus(pg.database);
    const request = randomUUID();
    await beginFor(pg.database, work, 1, 0.4, request);
    await beginFor(pg.database, work, 1, 0.4, request);
    const next = { ends: [], reservation: { usd: 0.4, tokens: null, request: randomUUID() } };
    for (let tries = 0; tries < 2; tries += 1)
      await recordTurn(pg.database, work.key, answeredTurn(1, COUNTED_ANSWER), COUNTED_ANSWER, 0.1, next);
    expect(await lostOf(pg.database, work)).toEqual(NOTHING);
    expect(await lostOf(pg.database, work, 2)).toEqual({ ...NOTHING, open: true });
  });

  test('that is begun again for the same request has lost nothing, also where a message came since: the next turn has it', async () => {
    const work = await beginFocus(pg.database);
    const request = randomUUID();
    await beginFor(pg.database, work, 1, 0.4, request);
    await sayWork(pg.database, work.id, 'one more thing');
    expect(await beginFor(pg.database, work, 1, 0.4, request)).toBe('go');
    expect(await lostOf(pg.database, work)).toEqual({ ...NOTHING, open: true });
    await recordAfter(pg.database, work, 1);
    expect(await beginFor(pg.database, work, 2, 0.4)).toBe('mail');
    expect(await lostOf(pg.database, work)).toEqual(NOTHING);
  });

  test('whose request was refused is given back', async () => {
    const work = await beginFocus(pg.database);
    await beginFor(pg.database, work, 1, 0.4);
    await giveBackTurn(pg.database, work.key, 1);
    await beginFor(pg.database, work, 1, 0.4);
    expect(await lostOf(pg.database, work)).toEqual({ ...NOTHING, open: true });
  });

  test('counts each request of a call that failed, once, and those before an answer', async () => {
    const work = await beginFocus(pg.database);
    await beginFor(pg.database, work, 1, 0.4);
    await loseTurn(pg.database, work.key, 1, 3);
    // As after a lost response.
    await loseTurn(pg.database, work.key, 1, 3);
    const { usd, ...three } = await lostOf(pg.database, work);
    expect(three).toEqual({ requests: 3, unpriced: 0, open: false });
    expect(usd).toBeCloseTo(1.2, 9);
    await beginFor(pg.database, work, 1, 0.4);
    await recordAfter(pg.database, work, 1, 2);
    const after = await lostOf(pg.database, work);
    expect(after).toMatchObject({ requests: 5, open: false });
    expect(after.usd).toBeCloseTo(2, 9);
  });

  test('counts a request whose price is not known apart from those that cost nothing', async () => {
    const unknown = await beginFocus(pg.database);
    await beginFor(pg.database, unknown, 1, null);
    await loseTurn(pg.database, unknown.key, 1, 2);
    expect(await lostOf(pg.database, unknown)).toEqual({ requests: 2, usd: 0, unpriced: 2, open: false });
    const free = await beginFocus(pg.database);
    await beginFor(pg.database, free, 1, 0);
    await loseTurn(pg.database, free.key, 1, 2);
    expect(await lostOf(pg.database, free)).toEqual({ requests: 2, usd: 0, unpriced: 0, open: false });
  });

  test.each(['cancelled', 'failed', 'dead'] as const)('that is under way when its item is %s is lost', async (end) => {
    const work = await beginFocus(pg.database);
    await beginFor(pg.database, work, 1, 0.1);
    await recordAfter(pg.database, work, 1);
    await beginFor(pg.database, work, 2, 0.4);
    if (end === 'cancelled') {
      await cancelWork(pg.database, work.id);
      await endCancelled(pg.database, work);
    } else {
      await failWork(pg.database, work, { code: 'x', message: 'broken' }, end === 'dead' ? null : 5);
    }
    expect(await lostOf(pg.database, work, 2)).toEqual(LOST);
    expect(await lostOf(pg.database, work, 1)).toEqual(NOTHING);
  });

  test('that asks no model loses nothing', async () => {
    const work = await beginFocus(pg.database);
    await beginTurn(pg.database, work.key, 1, 0);
    await beginTurn(pg.database, work.key, 1, 0);
    await failWork(pg.database, work, { code: 'x', message: 'broken' }, null);
    expect(await lostOf(pg.database, work)).toEqual(NOTHING);
  });

  test('that its attempt keeps is not lost by the end of the attempt', async () => {
    const work = await beginFocus(pg.database);
    await beginFor(pg.database, work, 1, 0.4);
    await loseTurn(pg.database, work.key, 1, 1);
    await failWork(pg.database, work, { code: 'llm.connection', message: 'cut' }, 5, 'transcript');
    expect(await lostOf(pg.database, work)).toEqual(LOST);
  });
});

describe('a call that is not a turn', () => {
  const withTurn = async () => {
    const work = await beginFocus(pg.database);
    await beginFor(pg.database, work, 1, 0.1);
    await recordAfter(pg.database, work, 1);
    return work;
  };
  const summary = { usd: 0.4, tokens: 100, request: randomUUID() };

  test('counts in the newest turn, if it is lost', async () => {
    const work = await withTurn();
    expect(await beginSideCall(pg.database, work.key, { ...summary, request: randomUUID() }, SUMMARY)).toBe(true);
    expect(await lostOf(pg.database, work)).toEqual({ ...NOTHING, open: true });
    await loseTurn(pg.database, work.key, 0, 1);
    expect(await lostOf(pg.database, work)).toEqual(LOST);
  });

  test('costs what is recorded, and what was lost before it', async () => {
    const work = await withTurn();
    await beginSideCall(pg.database, work.key, { ...summary, request: randomUUID() }, SUMMARY);
    await recordSideCall(pg.database, work.key, { ...COUNTED_ANSWER, lost: 1 }, 0.05);
    expect(await lostOf(pg.database, work)).toEqual(LOST);
    await beginSideCall(pg.database, work.key, { ...summary, request: randomUUID() }, SUMMARY);
    await giveBackTurn(pg.database, work.key, 0);
    expect(await lostOf(pg.database, work)).toEqual(LOST);
  });

  test.each(['resumed', 'ended'] as const)('is lost with its process, when the focus is %s', async (how) => {
    const work = await withTurn();
    await beginSideCall(pg.database, work.key, { ...summary, request: randomUUID() }, SUMMARY);
    if (how === 'ended') await failWork(pg.database, work, { code: 'x', message: 'broken' }, null);
    else {
      await pg.database.query('select animus.release_work($1, $2)', [work.id, work.leaseToken]);
      await beginFocus(pg.database, { id: work.id });
    }
    expect(await lostOf(pg.database, work)).toEqual(LOST);
  });

  test('is reserved for embeddings, too, and before the first turn', async () => {
    const work = await withTurn();
    expect(await holdEmbedding(pg.database, work.key, { ...summary, request: randomUUID() }, 'e/emb')).toBe('free');
    await loseTurn(pg.database, work.key, 0, 1);
    expect(await lostOf(pg.database, work)).toEqual(LOST);
    const early = await beginFocus(pg.database);
    await beginSideCall(pg.database, early.key, { ...summary, request: randomUUID() }, SUMMARY);
    await loseTurn(pg.database, early.key, 0, 1);
    await beginFor(pg.database, early, 1, 0.1);
    expect(await lostOf(pg.database, early)).toEqual({ ...LOST, open: true });
    await recordAfter(pg.database, early, 1);
    expect(await lostOf(pg.database, early)).toEqual(LOST);
  });
});
