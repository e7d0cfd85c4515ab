/** A thousand readers of one item: what is made once for all of them, and what those get whose turn has not come. */
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { type Encoded, encode } from '../../../src/http/events/encoded.ts';
import { RingReader } from '../../../src/http/events/ring-reader.ts';
import { WatchedItem } from '../../../src/http/events/watched-item.ts';
import { beginningOf } from '../../../src/store/events/places.ts';

const READERS = 1_000;

test('an event is encoded once, however many readers get it', async () => {
  const { item, sent, turns, stop } = join();
  item.take(pageOf('running'));
  await turns();
  item.take(pageOf('waiting'));
  await turns();
  expect(sent.map((one) => one.length)).toEqual(sent.map(() => 2));
  expect(new Set(sent.flat()).size).toBe(2);
  await stop();
});

test('a reader whose turn comes after the second event gets both at once; all get the same bytes in the same order', async () => {
  const { item, sent, turns, stop } = join();
  item.take(pageOf('running'));
  item.take(pageOf('waiting'));
  await turns();
  expect(new Set(sent.map((one) => one.length))).toEqual(new Set([1, 2]));
  expect(new Set(sent.map((one) => Buffer.concat(one.map(({ plain }) => plain)).toString())).size).toBe(1);
  // The first event, the second, and both.
  expect(new Set(sent.flat()).size).toBe(3);
  await stop();
});

/** Readers that wait for what comes, and what each was sent. */
function join() {
  const scope = { kind: 'conversation', id: crypto.randomUUID() } as const;
  const item = new WatchedItem(scope, systemClock);
  const beginning = beginningOf(scope);
  item.begin({ position: beginning, items: [] });
  const stopping = new AbortController();
  const sent = Array.from({ length: READERS }, (): Encoded[] => []);
  const reading = sent.map(async (got) => {
    const sink = {
      send: (frames: Parameters<typeof encode>[0]) => got.push(encode(frames)) > 0,
      drained: async () => {},
    };
    const source = { clock: systemClock, until: stopping.signal, sink, check: async () => {} };
    for await (const _ of new RingReader(item, beginning, item.ring.head, source).read());
  });
  return {
    item,
    sent,
    /** Enough for the turn of each. */
    async turns() {
      for (let n = 0; n < READERS / 50; n++) await new Promise(setImmediate);
    },
    async stop() {
      stopping.abort();
      await Promise.all(reading);
    },
  };
}

const ITEM = crypto.randomUUID();

function pageOf(state: 'running' | 'waiting') {
  const position = beginningOf({ kind: 'conversation', id: ITEM });
  return { events: [], position, more: false, items: [{ id: ITEM, state, waiting: null }] };
}
