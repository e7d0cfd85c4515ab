import { expect, test } from 'vitest';
import type { TimelineTurn, ToolCall, Turn } from '../../../../../src/client/client.ts';
import { callRow, timelineRows, turnRow } from '../../../../../src/console/pages/item/record/rows.ts';

const turn: Turn = {
  focus_id: 'f',
  turn: 3,
  provider: 'anthropic',
  model: 'claude',
  response: [
    { type: 'thinking', text: 'hm' },
    { type: 'text', text: 'yes' },
    { type: 'tool_call', id: 'c', name: 'bash', input: { command: 'ls' } },
    { type: 'picture', data: 1 },
    null,
  ],
  stop_reason: 'tool_use',
  usage: { input: 100, output: 5, cacheRead: 80 },
  cost_usd: null,
  begun_at: '2026-01-01T00:00:00.000Z',
  recorded_at: '2026-01-01T00:00:02.000Z',
  duration_ms: 1900,
};

test('a turn has the parts of its answer, and what it does not know is kept as it is', () => {
  const row = turnRow(turn, { number: 2, endMs: null });
  expect(row.key).toBe('2.3');
  expect(row.model).toBe('anthropic/claude');
  expect(row.blocks?.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_call', 'other', 'other']);
  expect(row.tokens).toEqual({ input: 100, output: 5, cacheRead: 80, cacheWrite: 0, reasoning: 0 });
  expect(row.endMs! - row.begunMs).toBe(2000);
});

test('a turn that is being asked has no end, tokens or parts', () => {
  const asked = turnRow(
    { ...turn, response: null, usage: null, recorded_at: null, model: null },
    { number: 1, endMs: null },
  );
  expect([asked.endMs, asked.tokens, asked.blocks, asked.model]).toEqual([null, null, [], 'anthropic']);
  expect(turnRow({ ...turn, usage: { input: 'many' }, response: 'odd' }, { number: 1, endMs: null })).toMatchObject({
    tokens: null,
    blocks: [],
  });
});

test('a turn without an answer ends with its focus', () => {
  const lost = turnRow({ ...turn, response: null, recorded_at: null }, { number: 1, endMs: 7 });
  expect([lost.endMs, lost.lost]).toEqual([7, true]);
  expect(turnRow(turn, { number: 1, endMs: 7 }).lost).toBe(false);
});

test('calls of the same id in different foci have different keys', () => {
  const call: ToolCall = {
    focus_id: 'f',
    turn: 1,
    position: 1,
    call_id: 'c',
    parent_call_id: null,
    name: 'bash',
    origin: 'model',
    state: 'pending',
    input: {},
    final_input: null,
    output: null,
    output_bytes: null,
    is_error: null,
    started_at: null,
    ended_at: null,
    duration_ms: null,
  };
  expect(callRow(call, { number: 1, endMs: null })).toMatchObject({
    key: '1.1.c',
    turnKey: '1.1',
    isError: false,
    startMs: null,
    endMs: null,
  });
  expect(callRow(call, { number: 2, endMs: null }).key).toBe('2.1.c');
});

test('a line of a turn says what was said, or what was called', () => {
  const named = (name: string) => ({ type: 'tool_call', id: name, name, input: {} });
  const of = { number: 1, endMs: null };
  expect(turnRow(turn, of)).toMatchObject({ summary: 'yes', callCount: 1 });
  const silent = turnRow({ ...turn, response: [named('bash'), named('read_file'), named('bash')] }, of);
  expect(silent).toMatchObject({ summary: 'bash ×2, read_file', callCount: 3 });
});

test('rows of a timeline have no contents', () => {
  const short: TimelineTurn = {
    focus_id: 'f',
    turn: 2,
    provider: 'p',
    model: 'm',
    stop_reason: 'tool_use',
    begun_at: '2026-01-01T00:00:00.000Z',
    recorded_at: '2026-01-01T00:00:01.000Z',
    duration_ms: 900,
    input_tokens: 10,
    cache_read_tokens: 4,
    cache_write_tokens: null,
    output_tokens: 3,
    cost_usd: 0.1,
    calls: [
      {
        call_id: 'c',
        parent_call_id: null,
        position: 1,
        name: 'bash',
        state: 'running',
        is_error: null,
        started_at: '2026-01-01T00:00:01.000Z',
        ended_at: null,
      },
      {
        call_id: 'd',
        parent_call_id: 'c',
        position: 1,
        name: 'read_file',
        state: 'done',
        is_error: true,
        started_at: null,
        ended_at: null,
      },
    ],
  };
  const rows = timelineRows(short, { number: 3, endMs: null });
  expect(rows.turn).toMatchObject({ key: '3.2', summary: 'bash', callCount: 1, blocks: null, costUsd: 0.1 });
  expect(rows.turn.tokens).toEqual({ input: 10, output: 3, cacheRead: 4, cacheWrite: 0, reasoning: 0 });
  expect(rows.calls.map(({ key, endMs, isError, input }) => [key, endMs, isError, input])).toEqual([
    ['3.2.c', null, false, undefined],
    ['3.2.d', null, true, undefined],
  ]);
  expect(timelineRows(short, { number: 3, endMs: 9 }).calls[0]?.endMs).toBe(9);
  expect(timelineRows({ ...short, input_tokens: null }, { number: 3, endMs: null }).turn.tokens).toBeNull();
});
