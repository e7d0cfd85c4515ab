import { expect, test } from 'vitest';
import type { Clock } from '../../../src/core/lifecycle/clock.ts';
import type { Backlog } from '../../../src/daemon/control/backlog.ts';
import type { RunningFocus } from '../../../src/daemon/control/focus-lease.ts';
import { createRoomMaker } from '../../../src/daemon/control/room-maker.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';

function maker() {
  let nowMs = 0;
  const clock = { monotonicMs: () => nowMs } as Clock;
  const advance = (ms: number) => (nowMs += ms);
  const done = { givenBack: 0, drained: 0 };
  const control = { drainSoon: () => (done.drained += 1) };
  const room = createRoomMaker({
    clock,
    log: silentLog,
    running: new Map([['a', { control } as unknown as RunningFocus]]),
    backlog: { giveBack: () => (done.givenBack += 1) } as unknown as Backlog,
  });
  return { advance, done, room };
}

test('a daemon that tests an item lets it run, however long that takes', () => {
  const { advance, done, room } = maker();
  for (let n = 0; n < 100; n++) {
    room.heed('tests', []);
    advance(1000);
  }
  expect(done).toEqual({ givenBack: 0, drained: 0 });
  expect(room.nextLookMs()).toBeLessThan(1000);
});

test('a daemon that is to be empty gives back what waits, and after ten seconds what runs', () => {
  const { advance, done, room } = maker();
  room.heed('clears', []);
  advance(9000);
  room.heed('clears', []);
  expect(done).toEqual({ givenBack: 2, drained: 0 });
  advance(2000);
  room.heed('clears', []);
  expect(done.drained).toBe(1);
  room.heed(null, []);
  expect(room.nextLookMs()).toBe(Number.POSITIVE_INFINITY);
  room.heed('clears', []);
  expect(done.drained).toBe(1);
});
