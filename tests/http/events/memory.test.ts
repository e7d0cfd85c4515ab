import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { type EventHub, openEventHub } from '../../../src/http/events/event-hub.ts';
import { followItem } from '../../../src/http/events/follow-item.ts';
import { createStateFeeds } from '../../../src/http/events/state-feed.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { eyesThat } from '../../support/event-server.ts';

const pg = testDatabase();
const eyes = () => eyesThat('any', (look) => look(pg.database));
let hub: EventHub;
beforeAll(async () => {
  hub = openEventHub({ db: pg.database, clock: systemClock, log: silentLog });
  await hub.start();
});
afterAll(() => hub.stop());

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes that `act` leaves behind, after `before` has run the same way. */
async function growthOf(act: () => Promise<void>): Promise<number> {
  await act();
  const before = await settledHeap();
  await act();
  return (await settledHeap()) - before;
}

async function settledHeap(): Promise<number> {
  for (let n = 0; n < 5; n++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  return process.memoryUsage().heapUsed;
}

test('a reader of all states keeps nothing of the looks at which nothing happened', async () => {
  const LOOKS = 20_000;
  const stopping = new AbortController();
  const left = new AbortController();
  let looks = 0;
  let enough = Promise.withResolvers<void>();
  // Each second passes at once.
  const clock = { ...systemClock, sleep: () => new Promise<void>((resolve) => setImmediate(resolve)) };
  const still = eyesThat('any', async (look) => {
    looks++;
    if (looks % LOOKS === 0) enough.resolve();
    return look({ query: async () => [] });
  });
  const feeds = createStateFeeds(clock, stopping.signal);
  const reading = (async () => {
    let batches = 0;
    for await (const _ of feeds.follow(still, left.signal)) batches++;
    return batches;
  })();
  const growth = await growthOf(async () => {
    await enough.promise;
    enough = Promise.withResolvers();
  });
  left.abort();
  expect(await reading).toBe(1);
  stopping.abort();
  await feeds.stopped();
  expect(growth).toBeLessThan(1_000_000);
});

test('readers that come and go leave nothing behind', async () => {
  const work = await beginFocus(pg.database);
  const growth = await growthOf(async () => {
    for (let n = 0; n < 10; n++) {
      await Promise.all(
        Array.from({ length: 20 }, async (_, reader) => {
          const left = new AbortController();
          const means = { hub, clock: systemClock };
          const frames = followItem(means, eyes(), { kind: 'work', id: work.id }, null, left.signal);
          // They leave at any point.
          for (let at = 0; at < reader % 4; at++) await frames.next();
          left.abort();
          await frames.return(undefined);
        }),
      );
    }
  });
  expect(hub.watched).toBe(0);
  expect(growth).toBeLessThan(1_000_000);
});
