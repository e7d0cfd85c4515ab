import { expect, test } from 'vitest';
import { createLiveOutput } from '../../../../src/cli/chat/follow/live-output.ts';
import type { WorkEvent } from '../../../../src/store/events/event.ts';

const call = (callId: string): WorkEvent => ({
  type: 'call',
  workItemId: 'w',
  atMs: 0,
  focus: 1,
  turn: 1,
  callId,
  parentCallId: null,
  name: 'execute_code',
  input: {},
});
const piece = (from: number, output: string, name = 'a') =>
  ({ focus: 1, turn: 1, call: name, stream: 'stdout', from, output }) as const;
const text = (shown: readonly { text: string; gap: boolean }[]) =>
  shown.map((one) => (one.gap ? `…${one.text}` : one.text)).join('|');

test('a piece waits for its call to be recorded, through two looks at the tables', () => {
  const live = createLiveOutput();
  expect(live.piece(piece(0, 'early'))).toEqual([]);
  expect(live.waits).toBe(true);
  expect(live.settled()).toEqual([]);
  live.recorded(call('a'));
  expect(live.piece(piece(5, ' and'))).toEqual([]);
  expect(text(live.settled())).toBe('early| and');
  expect(live.waits).toBe(false);
});

test('a piece of a call that has ended, or never comes, is dropped', () => {
  const live = createLiveOutput();
  live.piece(piece(0, 'x', 'unknown'));
  expect([live.settled(), live.settled()]).toEqual([[], []]);
  expect(live.waits).toBe(false);
});

test('each character is shown once, and a gap is marked', () => {
  const live = createLiveOutput();
  live.recorded(call('a'));
  expect(text(live.piece(piece(0, 'abc')))).toBe('abc');
  expect(text(live.piece(piece(1, 'bcd')))).toBe('d');
  expect(text(live.piece(piece(0, 'ab')))).toBe('');
  expect(text(live.piece(piece(9, 'z')))).toBe('…z');
});
