import { expect, test } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import type { Frame } from '../../../src/http/events/frame.ts';
import { RingReader } from '../../../src/http/events/ring-reader.ts';
import { WatchedItem } from '../../../src/http/events/watched-item.ts';
import { beginningOf } from '../../../src/store/events/places.ts';

test('a reader who is removed while it is checked gets nothing of what came since', async () => {
  const scope = { kind: 'conversation', id: crypto.randomUUID() } as const;
  const item = new WatchedItem(scope, systemClock);
  const beginning = beginningOf(scope);
  item.begin({ position: beginning, items: [] });
  const checking = Promise.withResolvers<void>();
  const allowed = Promise.withResolvers<void>();
  let checks = 0;
  const check = async () => {
    if (++checks > 1) throw new Error('not any more');
    checking.resolve();
    await allowed.promise;
  };
  const until = new AbortController().signal;
  const reader = new RingReader(item, beginning, item.ring.head, { clock: systemClock, until, sink: null, check });
  const got: Frame[] = [];
  const reading = (async () => {
    for await (const frames of reader.read()) got.push(...frames);
  })();
  item.recheck();
  await checking.promise;
  // The check has looked before this was committed.
  item.take({
    events: [],
    position: beginning,
    more: false,
    items: [{ id: crypto.randomUUID(), state: 'running', waiting: null }],
  });
  item.recheck();
  allowed.resolve();
  await expect(reading).rejects.toThrow('not any more');
  expect(got).toEqual([]);
});

test('a reader is checked within a minute, and not at once', async () => {
  let nowMs = 0;
  const clock = { ...systemClock, monotonicMs: () => nowMs };
  const scope = { kind: 'conversation', id: crypto.randomUUID() } as const;
  const item = new WatchedItem(scope, clock);
  const beginning = beginningOf(scope);
  item.begin({ position: beginning, items: [] });
  const checked = Promise.withResolvers<void>();
  let checks = 0;
  const check = async () => {
    checks++;
    checked.resolve();
  };
  const stop = new AbortController();
  const reader = new RingReader(item, beginning, item.ring.head, { clock, until: stop.signal, sink: null, check });
  const reading = (async () => {
    for await (const _ of reader.read());
  })();
  const state = () => item.take({ events: [], position: beginning, more: false, items: [stateOf()] });
  state();
  await new Promise((resolve) => setImmediate(resolve));
  expect(checks).toBe(0);
  nowMs = 60_001;
  state();
  await checked.promise;
  expect(checks).toBe(1);
  stop.abort();
  await reading;
});

function stateOf() {
  return { id: crypto.randomUUID(), state: 'running', waiting: null } as const;
}
