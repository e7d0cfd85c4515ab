/** What a provider has answered in a batch is part of what its item costs, once, whatever happens to the item at the same moment. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { isAnimusError } from '../../../src/core/errors/errors.ts';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import {
  answerRequest,
  confirmBatch,
  holdPoller,
  markBatch,
  unrecordedAnswers,
  withdrawAnswer,
} from '../../../src/features/batches/store.ts';
import { untilUnlocked } from '../../../src/store/sql/patient-database.ts';
import { closeRequest, putTurn, readRequestUnderWay } from '../../../src/store/transcript/batch-requests.ts';
import { answeredTurn, recordTurn } from '../../../src/store/transcript/turns.ts';
import { parkWork } from '../../../src/store/transcript/waits.ts';
import { cancelWork, retryWork } from '../../../src/store/work/operate.ts';
import { endCancelled } from '../../../src/store/work/work.ts';
import { beginFocus, type FocusedWork } from '../../support/begun-focus.ts';
import { beginTurn } from '../../support/begun-turn.ts';
import { testDatabase } from '../../support/database.ts';

const ITEMS = 120;
const COST = 0.25;
const PROVIDER = 'p';
const ANSWER = {
  provider: PROVIDER,
  model: 'm',
  responseId: null,
  content: [],
  stopReason: 'end_turn' as const,
  rawStopReason: null,
  cutToolCalls: [],
  usage: null,
  timeToFirstTokenMs: null,
  durationMs: 0,
};
const USAGE = { input: 7, output: 3, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
const pg = testDatabase();
type Asked = FocusedWork & { readonly request: string };

test('an item that is cancelled in the moment in which its request is answered books the cost once', async () => {
  const { database } = pg;
  const items: Asked[] = [];
  for (let n = 0; n < ITEMS; n += 1) items.push(await asked());
  const token = (await holdPoller(database, PROVIDER, randomUUID(), 60))!;
  const bounds = { gatherSeconds: 0, maxRequests: ITEMS, maxBytes: 1_000_000, unclearSeconds: 60 };
  await confirmBatch(database, (await markBatch(database, PROVIDER, token, bounds))!.id, 'theirs');

  const over = new AbortController();
  const pollers = [1, 2].map(async () => {
    while (!over.signal.aborted) await book();
  });
  for (const [n, item] of items.entries()) {
    await Promise.all([
      soon(() => answerRequest(database, item.request, '{"status":200}')),
      soon(() => answerRequest(database, item.request, '{"status":200}')),
      soon(() => cancelWork(database, item.id)),
      soon(() => record(item)),
      ...(n % 3 === 0 ? [soon(() => retryWork(database, item.id))] : []),
    ]);
    // A focus that goes on finds the answer, or the cancel.
    await soon(() => record(item));
  }
  over.abort();
  await Promise.all(pollers);
  await book();

  const open = await database.query(
    `select id from animus.batch_requests where state not in ('withdrawn', 'recorded')`,
  );
  expect(open).toEqual([]);
  const wrong = await database.query(`select id, state, cost_usd, turns from animus.work_items where cost_usd <> $1`, [
    COST,
  ]);
  expect(wrong).toEqual([]);
  const [spent] = await database.query(
    'select count(*)::int as calls, sum(usd)::float8 as usd from animus.spend_calls',
  );
  expect(spent).toEqual({ calls: ITEMS, usd: ITEMS * COST });
  const ends = await database.query<{ state: string }>('select distinct state from animus.batch_requests order by 1');
  expect(ends.map(({ state }) => state)).toEqual(['recorded', 'withdrawn']);
}, 120_000);

async function asked(): Promise<Asked> {
  const { database } = pg;
  const work = await beginFocus(database);
  await beginTurn(database, work.key, 1, 0.5);
  await putTurn(database, work.key, 1, {
    provider: PROVIDER,
    place: PROVIDER,
    path: '/v1',
    model: 'm',
    headers: {},
    body: '{}',
  });
  await parkWork(database, work);
  return { ...work, request: (await readRequestUnderWay(database, work.key, 1))!.id };
}

/** What a daemon does with the item, if it can be claimed: it records the answer, or ends it because of the cancel. */
async function record(item: Asked): Promise<void> {
  const { database } = pg;
  const work = await beginFocus(database, { id: item.id }).catch(() => null);
  if (work === null) return;
  const underWay = await readRequestUnderWay(database, work.key, 1);
  if (underWay?.state === 'answered') {
    await database.transaction(async (tx) => {
      await recordTurn(tx, work.key, answeredTurn(1, ANSWER), ANSWER, COST);
      await closeRequest(tx, work.key, underWay.id, 'recorded');
    });
  }
  await endCancelled(database, work);
}

/** What a poller does after each look at its batches. */
async function book(): Promise<void> {
  for (const { id } of await unrecordedAnswers(pg.database, PROVIDER)) {
    await tried(() => withdrawAnswer(pg.database, id, { model: 'm', usage: USAGE, costUsd: COST }));
  }
  await systemClock.sleep(1);
}

/** Within the next few milliseconds. */
async function soon(act: () => Promise<unknown>): Promise<void> {
  await systemClock.sleep(4 * Math.random());
  await tried(() => untilUnlocked(act, { clock: systemClock, forMs: 10_000 }));
}

/** What was refused because something else came first is part of the race. */
async function tried(act: () => Promise<unknown>): Promise<void> {
  await act().catch((error: unknown) => {
    if (!isAnimusError(error, 'work.lease_lost', 'work.state', 'work.locked', 'work.cancelled')) throw error;
  });
}
