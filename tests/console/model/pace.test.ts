import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPace } from '../../../src/console/model/pace.ts';

let told = 0;
let visible = true;
const pace = () =>
  createPace(
    () => told++,
    () => visible,
  );

beforeEach(() => {
  vi.useFakeTimers();
  told = 0;
  visible = true;
});
afterEach(() => vi.useRealTimers());

test('the first change is told soon, and all that follow it at once with the second time', () => {
  const { changed } = pace();
  changed();
  vi.advanceTimersByTime(300);
  expect(told).toBe(1);
  for (let n = 0; n < 1000; n++) {
    changed();
    vi.advanceTimersByTime(3);
  }
  expect(told).toBe(1);
  vi.advanceTimersByTime(1000);
  expect(told).toBe(2);
  vi.advanceTimersByTime(60_000);
  expect(told).toBe(2);
});

test('after a pause a change is told soon again', () => {
  const { changed } = pace();
  changed();
  vi.advanceTimersByTime(10_000);
  changed();
  vi.advanceTimersByTime(300);
  expect(told).toBe(2);
});

test('a hidden page is told when it is shown, and only if it has missed something', () => {
  const { changed, look } = pace();
  look();
  vi.advanceTimersByTime(10_000);
  expect(told).toBe(0);
  visible = false;
  for (let n = 0; n < 100; n++) {
    changed();
    vi.advanceTimersByTime(5000);
  }
  expect(told).toBe(0);
  visible = true;
  look();
  vi.advanceTimersByTime(300);
  expect(told).toBe(1);
});

test('nothing is told after the end', () => {
  const { changed, stop } = pace();
  changed();
  stop();
  vi.advanceTimersByTime(10_000);
  expect(told).toBe(0);
});
