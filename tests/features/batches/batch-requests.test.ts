import { randomUUID } from 'node:crypto';
import { metrics } from '@opentelemetry/api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { collectBatch } from '../../../src/features/batches/collect-batch.ts';
import {
  answerRequest,
  type Batch,
  type BatchBounds,
  batchRequests,
  confirmBatch,
  endBatch,
  holdPoller,
  leavePoller,
  markBatch,
  openBatches,
  placesWithBatches,
  returnBatch,
} from '../../../src/features/batches/store.ts';
import { type Database } from '../../../src/store/sql/database.ts';
import {
  type BatchRequest,
  closeRequest,
  putTurn,
  readRequestUnderWay,
} from '../../../src/store/transcript/batch-requests.ts';
import { parkWork, resolveWait } from '../../../src/store/transcript/waits.ts';
import { cancelWork } from '../../../src/store/work/operate.ts';
import { claimWork } from '../../../src/store/work/work.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { beginFocus, claimable, type FocusedWork, itemOf } from '../../support/begun-focus.ts';
import { beginTurn } from '../../support/begun-turn.ts';
import { embeddedDatabase, testDatabase } from '../../support/database.ts';

const BOUNDS: BatchBounds = { gatherSeconds: 0, maxRequests: 100, maxBytes: 1_000_000, unclearSeconds: 60 };

/** Every test has a provider of its own: it polls alone. */
function makeRequest(provider: string, body = '{}'): BatchRequest {
  return { provider, place: provider, path: '/v1/messages', model: 'm', headers: {}, body };
}

async function put(
  db: Database,
  provider: string,
  options: { park?: boolean; body?: string } = {},
): Promise<FocusedWork & { request: string }> {
  const work = await beginFocus(db);
  expect(await beginTurn(db, work.key, 1, 0.5)).toBe('go');
  await putTurn(db, work.key, 1, makeRequest(provider, options.body));
  if (options.park !== false) expect(await parkWork(db, work)).toBe('waiting');
  return { ...work, request: (await readRequestUnderWay(db, work.key, 1))!.id };
}

async function mark(
  db: Database,
  provider: string,
  bounds: Partial<BatchBounds> = {},
): Promise<{ batch: Batch; token: string }> {
  const token = (await holdPoller(db, provider, randomUUID(), 60))!;
  return { batch: (await markBatch(db, provider, token, { ...BOUNDS, ...bounds }))!, token };
}

describe('a turn that is asked in a batch', () => {
  const pg = testDatabase();

  it('parks its item without a call, is woken once by its answer, and keeps the first answer', async () => {
    const { database } = pg;
    const work = await put(database, 'a');
    const { batch } = await mark(database, 'a');
    expect(await confirmBatch(database, batch.id, 'theirs')).toBe(true);
    expect(await batchRequests(database, batch.id)).toEqual([{ id: work.request, body: null, open: true }]);
    expect(await answerRequest(database, work.request, '{"first":1}')).toBe(true);
    expect(await answerRequest(database, work.request, '{"second":2}')).toBe(false);
    expect(await itemOf(database, work.id)).toMatchObject({ state: 'queued', attempts: 0 });
    expect(await readRequestUnderWay(database, work.key, 1)).toMatchObject({
      state: 'answered',
      answer: '{"first":1}',
    });
  });

  it('is put once: a second put and a wait that somebody else resolved change nothing', async () => {
    const { database } = pg;
    const work = await put(database, 'b');
    expect(await resolveWait(database, work.id, work.request, {})).toBe(true);
    const again = await beginFocus(database, { id: work.id });
    await putTurn(database, again.key, 1, makeRequest('b', '{"other":true}'));
    expect(await parkWork(database, again)).toBe('waiting');
    const rows = await database.query('select id, body from animus.batch_requests where provider = $1', ['b']);
    expect(rows).toEqual([{ id: work.request, body: '{}' }]);
  });

  it('is not lost when it is begun again, and is refused a second request by the table', async () => {
    const { database } = pg;
    const work = await put(database, 'c', { park: false });
    expect(await beginTurn(database, work.key, 1, 0.7)).toBe('go');
    const turns = await database.query(
      'select lost_usd::float8 as lost, reserved_usd::float8 as reserved from animus.turns where focus_id = $1',
      [work.key.focusId],
    );
    expect(turns).toEqual([{ lost: 0, reserved: 0.5 }]);
    const second = database.query(
      `insert into animus.batch_requests select gen_random_uuid(), work_item_id, focus_id, turn, provider, path, model, headers, body, state, batch_id, answer, created_at, ready_at, ended_at, place
         from animus.batch_requests where id = $1`,
      [work.request],
    );
    await expect(second).rejects.toMatchObject({ code: '23505' });
  });

  it('is refused for a turn that was not begun', async () => {
    const work = await beginFocus(pg.database);
    await expect(putTurn(pg.database, work.key, 1, makeRequest('d'))).rejects.toMatchObject({ code: 'work.state' });
  });

  it('is asked again later, once its request has failed', async () => {
    const { database } = pg;
    const work = await put(database, 'e');
    await answerRequest(database, work.request, '{"ended":"expired"}');
    const again = await beginFocus(database, { id: work.id });
    await closeRequest(database, again.key, work.request, 'failed');
    await putTurn(database, again.key, 1, makeRequest('e'));
    const [row] = await database.query<{ later: number }>(
      `select extract(epoch from ready_at - created_at)::float8 as later from animus.batch_requests where provider = 'e' and state = 'waiting'`,
    );
    expect(row).toEqual({ later: 60 });
    expect(await mark(database, 'e')).toMatchObject({ batch: null });
  });

  it('is withdrawn from the outbox when its work is cancelled, and unwanted once it was sent', async () => {
    const { database } = pg;
    const work = await put(database, 'f');
    const sent = await put(database, 'f2');
    const { batch } = await mark(database, 'f2');
    await confirmBatch(database, batch.id, 'theirs');
    expect(await openBatches(database, 'f2')).toMatchObject([{ unwanted: false }]);
    await cancelWork(database, work.id, 'enough');
    await cancelWork(database, sent.id, 'enough');
    expect(await mark(database, 'f')).toMatchObject({ batch: null });
    expect(await openBatches(database, 'f2')).toMatchObject([{ unwanted: true }]);
    expect(await answerRequest(database, sent.request, '{}')).toBe(true);
    const states = await database.query(`select state, answer from animus.batch_requests where id = any ($1::uuid[])`, [
      [work.request, sent.request],
    ]);
    expect(states).toEqual([
      { state: 'withdrawn', answer: null },
      // It is paid for: the poller books it.
      { state: 'answered', answer: '{}' },
    ]);
  });

  it('is counted when its batch has ended, with the time of a batch that the provider ran', async () => {
    const { database } = pg;
    const told: unknown[] = [];
    const instrument = (name: string) => {
      const add = (value: number, labels: object) => void told.push([name, value, labels]);
      return { add, record: (_: number, labels: object) => void told.push([name, labels]) };
    };
    const meter = { createCounter: instrument, createHistogram: instrument };
    metrics.setGlobalMeterProvider({ getMeter: () => meter as never });
    onTestFinished(() => metrics.disable());
    for (const [provider, problem] of [
      ['m1', null],
      ['m2', 'refused'],
    ] as const) {
      await put(database, provider);
      const { batch, token } = await mark(database, provider);
      await confirmBatch(database, batch.id, 'theirs');
      const look = async () => ({ kind: 'ended', files: [], answered: 0, problem, lines: [] });
      const batches = { api: { look }, http: () => ({}), mask: (text: string) => text };
      const pass = { db: database, log: silentLog, provider, place: provider, batches, hold: async () => token };
      await collectBatch({ ...batch, providerId: 'theirs' }, pass as never);
    }
    expect(told).toEqual([
      ['work.batch.requests', 1, { provider: 'm1', result: 'collected' }],
      ['work.batch.duration', { provider: 'm1' }],
      ['work.batch.requests', 1, { provider: 'm2', result: 'not_run' }],
    ]);
  });

  it('is not claimed by a daemon that does not know batches', async () => {
    const { database } = pg;
    const work = await put(database, 'g');
    await answerRequest(database, work.request, '{}');
    expect(await claimWork(database, randomUUID(), claimable(work.faculty), 1, 60)).toEqual([]);
    const knowing = claimable(work.faculty, true);
    const [claimed] = await claimWork(database, randomUUID(), knowing, 1, 60);
    expect(claimed).toMatchObject({ id: work.id });
    await database.query(
      `update animus.work_items set lease_expires_at = animus.now() - interval '1 s' where id = $1`,
      [work.id],
    );
    expect(await claimWork(database, randomUUID(), claimable(work.faculty), 1, 60)).toEqual([]);
    expect(await claimWork(database, randomUUID(), knowing, 1, 60)).toMatchObject([{ id: work.id }]);
  });
});

describe.each(['postgres', 'embedded'] as const)('the poller of a provider (%s)', (kind) => {
  const pg = kind === 'postgres' ? testDatabase() : embeddedDatabase();

  it('is one daemon at a time, and each of its decisions is fenced', async () => {
    const { database } = pg;
    const [first, second] = [randomUUID(), randomUUID()];
    const token = (await holdPoller(database, 'h', first, 60))!;
    expect(await holdPoller(database, 'h', first, 60)).toBe(token);
    expect(await holdPoller(database, 'h', second, 60)).toBeNull();
    await put(database, 'h');
    const batch = (await markBatch(database, 'h', token, BOUNDS))!;
    await leavePoller(database, 'h', first);
    const next = (await holdPoller(database, 'h', second, 60))!;
    const lost = { code: 'work.lease_lost' };
    await expect(markBatch(database, 'h', token, BOUNDS)).rejects.toMatchObject(lost);
    const returned = { endedAs: 'lost', problem: 'x', delaySeconds: 0 } as const;
    await expect(returnBatch(database, { id: batch.id, token }, returned)).rejects.toMatchObject(lost);
    await expect(endBatch(database, { id: batch.id, token }, 'collected', null)).rejects.toMatchObject(lost);
    await returnBatch(database, { id: batch.id, token: next }, returned);
    expect(await markBatch(database, 'h', next, BOUNDS)).toMatchObject({
      requests: 1,
      state: 'submitting',
      unclear: false,
    });
    expect(await placesWithBatches(database)).toContain('h');
  });

  it('gathers requests of one model and one set of headers, up to the bounds', async () => {
    const { database } = pg;
    for (let n = 0; n < 3; n++) await put(database, 'i', { body: `{"n":${n}}` });
    const { batch: none, token } = await mark(database, 'i', { gatherSeconds: 600 });
    expect(none).toBeNull();
    const sizes: number[] = [];
    for (let batch; (batch = await markBatch(database, 'i', token, { ...BOUNDS, maxBytes: 15 })); )
      sizes.push(batch.requests);
    expect(sizes).toEqual([2, 1]);
  });

  it('does not end a batch before every request has an answer, and learns that a batch was given up', async () => {
    const { database } = pg;
    const work = await put(database, 'j');
    const { batch, token } = await mark(database, 'j');
    await confirmBatch(database, batch.id, 'theirs');
    expect(await endBatch(database, { id: batch.id, token }, 'collected', null)).toBe(false);
    await answerRequest(database, work.request, '{}');
    expect(await endBatch(database, { id: batch.id, token }, 'collected', null)).toBe(true);
    expect(await confirmBatch(database, batch.id, 'theirs')).toBe(true);

    await put(database, 'j');
    const given = (await markBatch(database, 'j', token, BOUNDS))!;
    await returnBatch(database, { id: given.id, token }, { endedAs: 'lost', problem: 'x', delaySeconds: 0 });
    expect(await confirmBatch(database, given.id, 'late')).toBe(false);
  });
});
