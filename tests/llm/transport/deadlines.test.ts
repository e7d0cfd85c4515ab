import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startDeadlines } from '../../../src/llm/transport/deadlines.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

/** Deadlines of an exchange, and when each limit was reported, in milliseconds from the start. */
function started(totalMs: number) {
  const startMs = performance.now();
  const reached: [string, number][] = [];
  const deadlines = startDeadlines<'first' | 'second'>(totalMs, (limit) => {
    reached.push([limit, Math.round(performance.now() - startMs)]);
  });
  return { deadlines, reached };
}

test('the whole ends after its time', () => {
  const { reached } = started(1200);
  vi.advanceTimersByTime(5000);
  expect(reached).toEqual([['total', 1200]]);
});

test('a step ends after its time, counted from its beginning, however short', () => {
  const { deadlines, reached } = started(60_000);
  deadlines.enter('first', 50_000);
  vi.advanceTimersByTime(1234);
  deadlines.enter('second', 20);
  vi.advanceTimersByTime(5000);
  expect(reached).toEqual([['second', 1254]]);
});

test('a step that is renewed lasts longer, but not longer than the whole', () => {
  const { deadlines, reached } = started(3000);
  deadlines.enter('first', 700);
  for (let count = 0; count < 4; count += 1) {
    vi.advanceTimersByTime(600);
    deadlines.renew();
  }
  expect(reached).toEqual([]);
  vi.advanceTimersByTime(2000);
  expect(reached).toEqual([['total', 3000]]);
});

test('no limit is 0 or Infinity', () => {
  for (const none of [0, Infinity]) {
    const { deadlines, reached } = started(none);
    deadlines.enter('first', none);
    vi.advanceTimersByTime(10_000_000);
    expect(reached).toEqual([]);
    deadlines.enter('second', 10);
    vi.advanceTimersByTime(10);
    expect(reached).toEqual([['second', 10_000_010]]);
  }
});

test('nothing is reported after the stop', () => {
  const { deadlines, reached } = started(100);
  deadlines.stop();
  vi.advanceTimersByTime(1000);
  expect(reached).toEqual([]);
});

test('after a pause of the process, what waits is read for a moment, and then the limit is reached, once', () => {
  const { reached } = started(100);
  const paused = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 5000);
  vi.advanceTimersByTime(100);
  expect(reached).toEqual([]);
  vi.advanceTimersByTime(50);
  expect(reached).toEqual([['total', 5000]]);
  paused.mockRestore();
});
