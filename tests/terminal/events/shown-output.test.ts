import { expect, test } from 'vitest';
import type { WorkEvent } from '../../../src/store/events/event.ts';
import { foldOutput } from '../../../src/terminal/events/shown-output.ts';
import { recorded } from './feed-entries.ts';

const place = { workItemId: 'w', atMs: 0, focus: 1, turn: 1, parentCallId: null, name: 'execute_code' };
const call = (callId: string, turn = 1, focus = 1) =>
  recorded({ ...place, focus, turn, type: 'call', callId, input: {} });
const turn = (n: number, focus = 1) => recorded({ ...place, focus, type: 'turn', turn: n } as unknown as WorkEvent);
const ended = (callId: string) => recorded({ ...place, type: 'observation', callId } as unknown as WorkEvent);
const piece = (from: number, text: string, callId = 'a', focus = 1) => ({
  hint: {
    type: 'observation',
    live: true,
    workItemId: 'w',
    focus,
    turn: 1,
    callId,
    stream: 'stdout',
    from,
    text,
  } as const,
});
const text = (shown: readonly { text: string; gap: boolean }[]) =>
  shown.map((one) => (one.gap ? `…${one.text}` : one.text)).join('|');

test('a piece waits for its call to be recorded', () => {
  const output = foldOutput();
  expect(output.after(piece(0, 'early'))).toEqual([]);
  expect(output.after(piece(5, ' and'))).toEqual([]);
  expect(text(output.after(call('a')))).toBe('early| and');
  expect(text(output.after(piece(9, ' late')))).toBe(' late');
});

test('a piece of a call that has ended, or never comes, is dropped', () => {
  const output = foldOutput();
  output.after(piece(0, 'x', 'unknown'));
  output.after(call('a'));
  output.after(ended('a'));
  expect(output.after(piece(0, 'late'))).toEqual([]);
  output.after(turn(2));
  expect([output.after(call('unknown')), output.after(call('a'))]).toEqual([[], []]);
});

test('nothing of an earlier focus is shown', () => {
  const output = foldOutput();
  output.after(call('a'));
  output.after(turn(1, 2));
  output.after(call('a', 1, 2));
  expect(text(output.after(piece(0, 'new', 'a', 2)))).toBe('new');
  expect(output.after(piece(0, 'kept', 'b'))).toEqual([]);
  output.after(turn(1, 3));
  expect(output.after(call('b'))).toEqual([]);
});

test('each character is shown once, and a gap is marked', () => {
  const output = foldOutput();
  output.after(call('a'));
  expect(text(output.after(piece(0, 'abc')))).toBe('abc');
  expect(text(output.after(piece(1, 'bcd')))).toBe('d');
  expect(text(output.after(piece(0, 'ab')))).toBe('');
  expect(text(output.after(piece(9, 'z')))).toBe('…z');
});
