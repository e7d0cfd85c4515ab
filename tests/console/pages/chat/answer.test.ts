import { expect, test } from 'vitest';
import type { ChatEvent } from '../../../../src/client/client.ts';
import { type Answer, asksOf, newAnswer, takeEvent } from '../../../../src/console/pages/chat/answer.ts';

const place = { work_item_id: 'w', focus: 1, turn: 1 };
const recorded = { id: 'x', at: '' };
const event = (type: string, more: object = {}) => ({ type, ...place, ...recorded, ...more }) as unknown as ChatEvent;
const hint = (type: string, more: object = {}) => ({ type, live: true, ...place, ...more }) as unknown as ChatEvent;
const after = (...events: readonly ChatEvent[]) => events.reduce<Answer>(takeEvent, newAnswer('w'));
const texts = ({ parts }: Answer) => parts.flatMap((part) => (part.is === 'text' ? [part.text] : []));

const running = event('state', { state: 'running', resumed: false });
const turn = (number: number) => event('turn', { turn: number, cost_usd: 0.5 });

test('pieces become a text, and its record takes their place', () => {
  const pieces = [running, hint('text', { from: 0, text: 'Hel' }), hint('text', { from: 3, text: 'lo' })];
  expect(texts(after(...pieces))).toEqual(['Hello']);
  expect(after(...pieces).parts[0]).toMatchObject({ isComing: true });
  expect(texts(after(...pieces, turn(1)))).toEqual(['Hello']);
  const done = after(...pieces, turn(1), event('text', { text: 'Hello!' }), event('text', { text: 'Two.' }));
  expect(texts(done)).toEqual(['Hello!', 'Two.']);
  expect(done.parts).not.toContainEqual(expect.objectContaining({ isComing: true }));
  expect(done.costUsd).toBe(0.5);
});

test('a piece that comes after the record of its turn is left out', () => {
  expect(texts(after(running, turn(1), event('text', { text: 'a' }), hint('text', { from: 0, text: 'late' })))).toEqual(
    ['a'],
  );
});

test('a piece that begins again replaces what came, and one after a gap is left out', () => {
  expect(texts(after(hint('text', { from: 0, text: 'abc' }), hint('text', { from: 1, text: 'X' })))).toEqual(['aX']);
  expect(texts(after(hint('text', { from: 5, text: 'abc' })))).toEqual([]);
});

test.each([
  ['withdrawn', hint('withdrawn')],
  ['an error', event('error', { ended_as: 'failed', message: 'no' })],
  ['the end', event('done', { state: 'cancelled', cost_usd: null })],
  ['a resumed focus', event('state', { state: 'running', resumed: true })],
  ['a retry', event('state', { state: 'queued', focus: null })],
  ['a later focus', event('state', { state: 'running', focus: 2, resumed: false })],
])('%s makes the pieces void', (_, end) => {
  expect(texts(after(running, hint('text', { from: 0, text: 'a' }), end))).toEqual([]);
});

test('a later focus begins again, and keeps why the one before failed', () => {
  const failed = [running, turn(1), event('text', { text: 'a' }), event('error', { message: 'lost' })];
  expect(after(...failed, event('state', { state: 'running', focus: 2, resumed: false })).parts).toEqual([
    { is: 'error', text: 'lost' },
  ]);
  const later = after(...failed, hint('text', { focus: 2, from: 0, text: 'b' }));
  expect(texts(later)).toEqual(['b']);
  expect(takeEvent(later, hint('text', { focus: 1, turn: 2, from: 0, text: 'old' }))).toBe(later);
});

test('a call has its output as it comes, and then its result', () => {
  const call = event('call', { call_id: 'c', name: 'bash', input: { command: 'ls' }, parent_call_id: null });
  const printed = [
    running,
    call,
    hint('observation', { call_id: 'c', from: 0, text: 'a' }),
    hint('observation', { call_id: 'c', from: 1, text: 'b' }),
  ];
  expect(after(...printed).parts[0]).toMatchObject({ is: 'call', output: 'ab', ended: null });
  const result = event('observation', {
    call_id: 'c',
    state: 'done',
    is_error: false,
    output: 'all',
    output_bytes: 3,
    duration_ms: 5,
    input: { command: 'ls -l' },
  });
  const ended = after(...printed, result);
  expect(ended.parts[0]).toMatchObject({
    output: 'all',
    input: { command: 'ls -l' },
    ended: { state: 'done', isError: false, ms: 5, bytes: 3 },
  });
  expect(takeEvent(ended, hint('observation', { call_id: 'c', from: 0, text: 'late' }))).toBe(ended);
  expect(after(result).parts).toEqual([]);
});

test('a request stands until it is decided', () => {
  const asked = event('approval', { ask_id: 'q', status: 'asked', subject: 'tool_call', by: null, note: null });
  expect(asksOf(after(running, asked))).toEqual(['q']);
  const decided = after(
    running,
    asked,
    event('approval', { ask_id: 'q', status: 'approve', subject: null, by: 'olga', note: 'fine' }),
  );
  expect(asksOf(decided)).toEqual([]);
  expect(decided.parts).toEqual([
    { is: 'ask', ask: 'q', status: 'approve', subject: 'tool_call', by: 'olga', note: 'fine' },
  ]);
});

test('a wait is one line, until it is over', () => {
  const begins = event('waiting', { call_id: 'c', kind: 'timer', deadline: 't', result: null });
  const over = event('waiting', { call_id: 'c', kind: 'timer', deadline: 't', result: 'time' });
  expect(after(begins, over).parts).toEqual([{ is: 'wait', call: 'c', kind: 'timer', until: 't', over: 'time' }]);
});

test('says where it is', () => {
  const waiting = { why: 'paused', ends: 'somebody resumes it' };
  expect(after(hint('state', { state: 'waiting', waiting }))).toMatchObject({
    state: 'waiting',
    waits: waiting,
    isOver: false,
  });
  const done = after(running, event('done', { state: 'completed', cost_usd: 1 }));
  expect(done).toMatchObject({ state: 'completed', isOver: true, costUsd: 1 });
  expect(takeEvent(done, event('state', { state: 'queued', focus: null })).isOver).toBe(false);
  expect(takeEvent(done, event('ledger'))).toBe(done);
});
