/** What requests count that are left at a provider that is gone: nothing if they were never sent, with and without a limit; else the most that they can cost. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { confirmBatch, holdPoller, leavePoller, markBatch, wakeStranded } from '../../../src/features/batches/store.ts';
import { putTurn } from '../../../src/store/transcript/batch-requests.ts';
import { beginTurn } from '../../../src/store/transcript/begin-turn.ts';
import { parkWork } from '../../../src/store/transcript/waits.ts';
import { failWork } from '../../../src/store/work/work.ts';
import type { FocusedWork } from '../../support/begun-focus.ts';
import { beginLimited, limit, settled, takeUp } from '../../support/budgets.ts';
import { testDatabase } from '../../support/database.ts';
import { beginFor, LOST, lostOf, NOTHING } from '../../support/lost-requests.ts';

const target = testDatabase();
const BOUNDS = { gatherSeconds: 0, maxRequests: 100, maxBytes: 1_000_000, unclearSeconds: 60 };

/** An item with a request of 0.4 USD in the outbox of a place. */
async function inOutbox(place: string, limited: boolean, unit: 'usd' | 'tokens' = 'usd') {
  const { database } = target;
  const name = `f${randomUUID()}`;
  if (limited) await limit(database, 'item', name, 1000, { unit });
  const work = await beginLimited(database, name);
  const cost = { usd: 0.4, tokens: 900, request: randomUUID() };
  if (limited) await beginTurn(database, work.key, 1, cost, [], true);
  else await beginFor(database, work, 1, 0.4);
  const request = { provider: 'own', place, path: '/v1', model: 'm', headers: {}, body: '{}' };
  await putTurn(database, work.key, 1, { ...request, reserved_usd: 0.4 });
  return { work, name };
}

async function send(place: string): Promise<void> {
  const daemon = randomUUID();
  const token = (await holdPoller(target.database, place, daemon, 60))!;
  const { id } = (await markBatch(target.database, place, token, BOUNDS))!;
  await confirmBatch(target.database, id, `theirs-${place}`);
  await leavePoller(target.database, place, daemon);
  await target.database.query(
    `update animus.batch_requests set created_at = created_at - interval '31 days' where place = $1`,
    [place],
  );
}

const costs = async ({ id }: FocusedWork) =>
  (
    await target.database.query(
      `select lost_usd::float8 as usd, lost_requests::int as requests, assumed_tokens::int as tokens from animus.costs('item', $1)`,
      [id],
    )
  )[0];

describe.each([true, false])('work that has ended, under a limit: %s', (limited) => {
  test.each([
    ['in the outbox', false, NOTHING, 0],
    ['sent more than 30 days ago', true, LOST, 0.4],
  ])('a request %s', async (_, isSent, lost, usd) => {
    const place = `p${randomUUID()}`;
    const { work } = await inOutbox(place, limited);
    if (isSent) await send(place);
    await failWork(target.database, work, { code: 'x', message: 'dead' }, null);
    await wakeStranded(target.database, place);
    const states = await target.database.query('select state from animus.batch_requests where place = $1', [place]);
    expect(states).toEqual([{ state: 'withdrawn' }]);
    expect(await lostOf(target.database, work)).toEqual(lost);
    expect(await costs(work)).toMatchObject({ usd, requests: lost.requests });
    if (limited) expect(await settled(target.database, 'item', work.id)).toBe(usd);
  });
});

test('work that goes on with another model while its request is in the outbox', async () => {
  const { database } = target;
  const place = `p${randomUUID()}`;
  const { work, name } = await inOutbox(place, true, 'tokens');
  const asked = JSON.stringify({ reason: 'r', model: 'a/b', present: { model: 'c/d' } });
  const ask = async ({ key }: FocusedWork) => {
    const sql = 'select animus.ask_provider($1, $2, $3) as approved';
    return (await database.query(sql, [key.focusId, key.leaseToken, asked]))[0];
  };
  await parkWork(database, work);
  expect(await wakeStranded(database, place)).toBe(1);
  const woken = await takeUp(database, work.id, name, randomUUID());
  expect(await ask(woken)).toEqual({ approved: false });
  await parkWork(database, woken);
  await database.query('select animus.approve($1)', [work.id]);
  const again = await takeUp(database, work.id, name, randomUUID());
  expect(await ask(again)).toEqual({ approved: true });
  await parkWork(database, again);
  await takeUp(database, work.id, name, randomUUID());
  expect(await lostOf(database, work)).toEqual(NOTHING);
  expect(await costs(work)).toEqual({ usd: 0, requests: 0, tokens: 0 });
});
