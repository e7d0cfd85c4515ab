import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  confirmBatch,
  holdPoller,
  leavePoller,
  markBatch,
  placesWithBatches,
  readBatchStatus,
  wakeStranded,
} from '../../../src/features/batches/store.ts';
import { putTurn, readRequestUnderWay } from '../../../src/store/transcript/batch-requests.ts';
import { parkWork } from '../../../src/store/transcript/waits.ts';
import { cancelWork } from '../../../src/store/work/operate.ts';
import { beginFocus, itemOf } from '../../support/begun-focus.ts';
import { beginTurn } from '../../support/begun-turn.ts';
import { testDatabase } from '../../support/database.ts';

const pg = testDatabase();
const BOUNDS = { gatherSeconds: 0, maxRequests: 100, maxBytes: 1_000_000, unclearSeconds: 60 };

async function put(place: string, provider = 'own') {
  const work = await beginFocus(pg.database);
  await beginTurn(pg.database, work.key, 1, 0.5);
  await putTurn(pg.database, work.key, 1, { provider, place, path: '/v1', model: 'm', headers: {}, body: '{}' });
  await parkWork(pg.database, work);
  return { ...work, request: (await readRequestUnderWay(pg.database, work.key, 1))!.id };
}

async function submit(place: string): Promise<{ readonly daemon: string; readonly batch: string }> {
  const daemon = randomUUID();
  const token = (await holdPoller(pg.database, place, daemon, 60))!;
  const { id } = (await markBatch(pg.database, place, token, BOUNDS))!;
  await confirmBatch(pg.database, id, `theirs-${place}`);
  return { daemon, batch: id };
}

it('a turn at a place that a daemon polls is left alone, and one that nobody polls wakes its work, once', async () => {
  const { database } = pg;
  const work = await put('a');
  const { daemon } = await submit('a');
  expect(await wakeStranded(database, 'a')).toBe(0);
  expect(await readBatchStatus(database)).toMatchObject([{ provider: 'own', problem: null }]);
  await leavePoller(database, 'a', daemon);
  expect(await wakeStranded(database, 'a')).toBe(1);
  expect(await itemOf(database, work.id)).toMatchObject({ state: 'queued', attempts: 0 });
  expect(await wakeStranded(database, 'a')).toBe(0);
  // It is still at the provider.
  expect(await readRequestUnderWay(database, work.key, 1)).toMatchObject({ state: 'sent' });
  expect(await readBatchStatus(database)).toMatchObject([
    {
      provider: 'own',
      problem: expect.stringContaining(
        'no running daemon has this provider any more (a), so nobody asks for a turn there',
      ),
    },
  ]);
  await holdPoller(database, 'a', randomUUID(), 60);
  expect(await readBatchStatus(database)).toMatchObject([{ provider: 'own', problem: null }]);
});

it('two providers of one name, one after the other, are two places', async () => {
  await put('b1', 'gateway');
  await submit('b1');
  await put('b2', 'gateway');
  await submit('b2');
  const batches = await pg.database.query(
    `select place, requests from animus.batches where provider = 'gateway' order by place`,
  );
  expect(batches).toEqual([
    { place: 'b1', requests: 1 },
    { place: 'b2', requests: 1 },
  ]);
});

it('what nobody waits for is kept for 30 days, as long as its results may be there, and not in the outbox', async () => {
  const { database } = pg;
  const sent = await put('c');
  const { daemon, batch } = await submit('c');
  const waiting = await put('c');
  await cancelWork(database, sent.id, 'enough');
  await cancelWork(database, waiting.id, 'enough');
  await leavePoller(database, 'c', daemon);
  const states = async () => {
    const rows = await database.query<{ state: string }>(
      `select state from animus.batch_requests where id = any ($1::uuid[]) order by created_at, id`,
      [[sent.request, waiting.request]],
    );
    return rows.map(({ state }) => state);
  };
  expect(await wakeStranded(database, 'c')).toBe(0);
  expect(await states()).toEqual(['sent', 'withdrawn']);
  await database.query(`update animus.batches set created_at = now() - interval '31 days' where id = $1`, [batch]);
  await database.query(`update animus.batch_requests set created_at = now() - interval '31 days' where id = $1`, [
    sent.request,
  ]);
  expect(await wakeStranded(database, 'c')).toBe(0);
  expect(await states()).toEqual(['withdrawn', 'withdrawn']);
  expect(await database.query('select state, ended_as from animus.batches where id = $1', [batch])).toEqual([
    { state: 'ended', ended_as: 'lost' },
  ]);
  expect(await placesWithBatches(database)).not.toContain('c');
});
