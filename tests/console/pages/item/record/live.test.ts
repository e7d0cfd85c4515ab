import { describe, expect, test } from 'vitest';
import type { WorkEvent } from '../../../../../src/client/client.ts';
import { type Live, liveAfter, NOTHING_LIVE } from '../../../../../src/console/pages/item/record/live.ts';

const base = { work_item_id: 'w', focus: 1, turn: 1 } as const;
const recorded = { ...base, id: 'x', at: '2026-01-01T00:00:00Z' } as const;
const piece = (from: number, text: string, turn = 1): WorkEvent => ({
  ...base,
  turn,
  type: 'text',
  live: true,
  from,
  text,
});
const print = (text: string, call_id = 'c'): WorkEvent => ({
  ...base,
  type: 'observation',
  live: true,
  call_id,
  stream: 'stdout',
  from: 0,
  text,
});
const turnEvent = (turn: number): WorkEvent => ({
  ...recorded,
  type: 'turn',
  turn,
  model: 'm',
  stop_reason: null,
  input_tokens: null,
  output_tokens: null,
  cost_usd: null,
  duration_ms: null,
});
const after = (...events: readonly WorkEvent[]): Live => events.reduce(liveAfter, NOTHING_LIVE);

describe('an answer that comes', () => {
  test('is put together, also where pieces come again', () => {
    expect(after(piece(0, 'one '), piece(4, 'two')).answer?.text).toBe('one two');
    expect(after(piece(0, 'one '), piece(0, 'on'), piece(2, 'ce')).answer?.text).toBe('once');
  });

  test('shows that pieces were lost', () => {
    expect(after(piece(0, 'one'), piece(10, 'end')).answer?.text).toBe('one\n…\nend');
  });

  test('begins again with another turn', () => {
    expect(after(piece(0, 'one'), piece(0, 'two', 2)).answer).toEqual({ focus: 1, turn: 2, text: 'two' });
  });

  test('is gone when it is recorded or withdrawn', () => {
    expect(after(piece(0, 'one'), turnEvent(1)).answer).toBeNull();
    expect(after(piece(0, 'one'), { ...base, type: 'withdrawn', live: true }).answer).toBeNull();
    const cutOff: WorkEvent = { ...recorded, type: 'text', text: 'one', cut_off: true };
    expect(after(piece(0, 'one'), cutOff).answer).toBeNull();
  });

  test('does not come back with pieces that are late', () => {
    expect(after(turnEvent(1), piece(3, 'late')).answer).toBeNull();
    expect(after(turnEvent(1), piece(0, 'next', 2)).answer?.text).toBe('next');
  });
});

describe('what calls print', () => {
  test('is kept by call, and only its end', () => {
    const { outputs } = after(print('a'), print('b'), print('x', 'd'));
    expect([...outputs]).toEqual([
      ['c', 'ab'],
      ['d', 'x'],
    ]);
    expect(after(print('x'.repeat(70_000)), print('end')).outputs.get('c')).toHaveLength(65_536);
  });

  test('is gone when the call has ended', () => {
    const ended: WorkEvent = {
      ...recorded,
      type: 'observation',
      call_id: 'c',
      parent_call_id: null,
      name: 'bash',
      input: null,
      state: 'done',
      is_error: false,
      output: 'ab',
      output_bytes: 2,
      duration_ms: 1,
    };
    expect(after(print('a'), print('x', 'd'), ended).outputs.has('c')).toBe(false);
  });
});

test('an event that changes nothing gives the same object', () => {
  const live = after(piece(0, 'one'));
  const state: WorkEvent = { type: 'state', live: true, work_item_id: 'w', state: 'running', waiting: null };
  expect(liveAfter(live, state)).toBe(live);
});
