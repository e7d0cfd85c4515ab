import { describe, expect, test } from 'vitest';
import type { Mail } from '../../../../../src/client/client.ts';
import { shortInput } from '../../../../../src/console/pages/item/record/call-input.ts';
import { conversationOf } from '../../../../../src/console/pages/item/record/conversation.ts';
import { costOf, windowOf } from '../../../../../src/console/pages/item/record/cost.ts';
import { failureOf, outcomeOf } from '../../../../../src/console/pages/item/record/failure.ts';
import { kindOf } from '../../../../../src/console/pages/item/record/files.ts';
import { inputTime, instantOf } from '../../../../../src/console/pages/item/record/input-time.ts';
import { lastedMs, titleOf } from '../../../../../src/console/pages/item/record/item.ts';
import type { CallRow, TurnRow } from '../../../../../src/console/pages/item/record/rows.ts';

const turn = (
  key: string,
  begunMs: number,
  tokens: TurnRow['tokens'] = null,
  costUsd: number | null = null,
): TurnRow => ({
  key,
  focus: 1,
  focusId: 'f',
  summary: '',
  callCount: 0,
  turn: Number(key.split('.')[1]),
  begunMs,
  endMs: begunMs + 500,
  lost: false,
  model: 'anthropic/claude',
  stop: null,
  tokens,
  costUsd,
  blocks: [],
});

describe('titleOf', () => {
  test('is the first line, or the id', () => {
    expect(titleOf({ id: 'i', description: '\n  One \ntwo' })).toBe('One');
    expect(titleOf({ id: 'i', description: ' \n ' })).toBe('i');
    expect(titleOf({ id: 'i', description: 'x'.repeat(5_000_000) })).toHaveLength(161);
  });
});

test('lastedMs is from submission to end', () => {
  const created_at = '2026-01-01T00:00:00Z';
  expect(lastedMs({ created_at, resolved_at: '2026-01-01T00:01:00Z' })).toBe(60_000);
  expect(lastedMs({ created_at, resolved_at: null })).toBeNull();
});

describe('errors and outcomes of any form', () => {
  test('have a message', () => {
    expect(failureOf(null)).toBeNull();
    expect(failureOf('bad')).toEqual({ code: null, message: 'bad', phase: null, more: null });
    expect(failureOf({ code: 'work.budget', message: 'used up', phase: 'engage', cause: 'x' })).toEqual({
      code: 'work.budget',
      message: 'used up',
      phase: 'engage',
      more: { cause: 'x' },
    });
    expect(failureOf({ odd: 1 })?.message).toBe('{"odd":1}');
    expect(failureOf(7)?.message).toBe('7');
  });

  test('have a text, a result, or both', () => {
    expect(outcomeOf(null)).toEqual({ text: null, rest: null });
    expect(outcomeOf({ text: 'done' })).toEqual({ text: 'done', rest: null });
    expect(outcomeOf({ text: 'done', result: 1 })).toEqual({ text: 'done', rest: { result: 1 } });
    expect(outcomeOf([1])).toEqual({ text: null, rest: [1] });
    expect(outcomeOf('done')).toEqual({ text: 'done', rest: null });
  });
});

describe('what a call was asked', () => {
  const call = (name: string, input: unknown, finalInput: unknown = null) => ({ name, input, finalInput }) as CallRow;

  test('is its most telling field', () => {
    expect(shortInput(call('bash', { command: 'ls' }))).toBe('ls');
    expect(shortInput(call('x', { count: 3 }))).toBe('3');
    expect(shortInput(call('x', { a: 1, b: 2 }))).toBe('{"a":1,"b":2}');
    expect(shortInput(call('x', { command: 'ls' }, { command: 'pwd' }))).toBe('pwd');
    expect(shortInput(call('x', undefined))).toBe('');
  });
});

describe('conversationOf', () => {
  const mail = (id: string, part: Partial<Mail>): Mail => ({
    id,
    author: 'person:a',
    author_is: 'submitter',
    text: id,
    wake: false,
    duplicate_id: null,
    created_at: '2026-01-01T00:00:00Z',
    delivered_at: null,
    focus_id: null,
    turn: null,
    not_delivered: null,
    ...part,
  });
  const shown = (turns: readonly TurnRow[], messages: readonly Mail[]) =>
    conversationOf(turns, messages, [{ id: 'f', number: 1 }]).map((part) =>
      part.is === 'turn' ? part.turn.key : part.mail.id,
    );

  test('puts a message before the turn that began with it', () => {
    const turns = [turn('1.1', 1), turn('1.2', 2)];
    expect(shown(turns, [mail('m', { focus_id: 'f', turn: 2 })])).toEqual(['1.1', 'm', '1.2']);
    expect(shown(turns, [mail('m', { focus_id: 'f', turn: 3 })])).toEqual(['1.1', '1.2', 'm']);
  });

  test('puts one that was not read at its time', () => {
    const turns = [turn('1.1', Date.parse('2025-12-31T00:00:00Z')), turn('1.2', Date.parse('2026-01-02T00:00:00Z'))];
    expect(shown(turns, [mail('m', {})])).toEqual(['1.1', 'm', '1.2']);
    expect(shown([], [mail('a', {}), mail('b', {})])).toEqual(['a', 'b']);
  });
});

describe('costOf', () => {
  test('adds up what is known', () => {
    const tokens = { input: 100, output: 10, cacheRead: 60, cacheWrite: 0, reasoning: 0 };
    const cost = costOf([turn('1.1', 0, tokens, 0.5), turn('1.2', 1, null, null), turn('1.3', 2, tokens, 0.25)]);
    expect(cost.fresh).toEqual([40, null, 40]);
    expect(cost.sums).toEqual([0.5, 0.5, 0.75]);
    expect([cost.input, cost.cacheRead, cost.total, cost.largest, cost.longestSeconds]).toEqual([
      200, 120, 0.75, 100, 0.5,
    ]);
  });

  test('finds the window of the last model', () => {
    const model = { provider: 'anthropic', model: 'claude', context_window: 200_000 } as Parameters<
      typeof windowOf
    >[1][0];
    expect(windowOf([turn('1.1', 0)], [model])).toBe(200_000);
    expect(windowOf([turn('1.1', 0)], [{ ...model, model: 'other' }])).toBeNull();
    expect(windowOf([], [model])).toBeNull();
  });
});

describe('kindOf', () => {
  test('shows only pictures that can run nothing', () => {
    expect(kindOf({ media_type: 'image/png', bytes: 10 })).toBe('picture');
    expect(kindOf({ media_type: 'image/svg+xml', bytes: 10 })).toBe('text');
    expect(kindOf({ media_type: 'text/html; charset=utf-8', bytes: 10 })).toBe('text');
    expect(kindOf({ media_type: 'application/pdf', bytes: 10 })).toBe('other');
    expect(kindOf({ media_type: 'image/png', bytes: 1e9 })).toBe('other');
    expect(kindOf({ media_type: 'text/plain', bytes: 1e9 })).toBe('other');
  });
});

test('times of fields are those of the reader', () => {
  const at = '2026-11-30T19:05:00.000Z';
  expect(instantOf(inputTime(at))).toBe(at);
  expect(inputTime(null)).toBe('');
  expect(instantOf('')).toBeNull();
});
