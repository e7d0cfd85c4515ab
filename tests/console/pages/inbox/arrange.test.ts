import { expect, test } from 'vitest';
import type { Approval, ApprovalGroup } from '../../../../src/client/client.ts';
import {
  arrange,
  type Cause,
  held,
  nextAfter,
  rowsOf,
  stepFrom,
  waysOfMany,
} from '../../../../src/console/pages/inbox/arrange.ts';

const ask = (id: string, more: Partial<Approval> = {}) =>
  ({ ask_id: id, subject: 'tool_call', hash: 'h', work_item_id: 'w', ...more }) as Approval;
const group = (id: string, ids: readonly string[]) => ({ group_id: id, ask_ids: ids }) as unknown as ApprovalGroup;
const ids = (causes: readonly Cause[]) =>
  rowsOf(causes).map(({ ask: { ask_id: id }, isGone }) => (isGone ? `(${id})` : id));

const GROUPS = [group('1', ['a', 'b']), group('2', ['c'])];

test('requests stand with their causes; those of none come last', () => {
  const causes = arrange(
    GROUPS,
    ['c', 'd', 'b', 'a'].map((id) => ask(id)),
  );
  expect(causes.map(({ id, rows }) => [id, rows.length])).toEqual([
    ['1', 2],
    ['2', 1],
    ['d', 1],
  ]);
  expect(ids(causes)).toEqual(['a', 'b', 'c', 'd']);
  expect(ids(arrange(GROUPS, [ask('c')]))).toEqual(['c']);
});

test('while somebody points at the list, rows keep their place and new ones come below', () => {
  const before = arrange(
    GROUPS,
    ['a', 'b', 'c'].map((id) => ask(id)),
  );
  const now = arrange(
    [group('0', ['z']), group('1', ['b', 'n']), ...GROUPS.slice(1)],
    ['z', 'b', 'n', 'c'].map((id) => ask(id)),
  );
  expect(ids(held(before, now))).toEqual(['(a)', 'b', 'n', 'c', 'z']);
  expect(ids(held(before, []))).toEqual(['(a)', '(b)', '(c)']);
});

test('steps over what no longer waits, and stays at the ends', () => {
  const causes = held(
    arrange(
      GROUPS,
      ['a', 'b', 'c'].map((id) => ask(id)),
    ),
    arrange(GROUPS, [ask('a'), ask('c')]),
  );
  expect(stepFrom(causes, 'a', 1)).toBe('c');
  expect(stepFrom(causes, 'c', 1)).toBe('c');
  expect(stepFrom(causes, 'b', -1)).toBe('a');
  expect(stepFrom(causes, null, 1)).toBe('a');
  expect(stepFrom(causes, 'unknown', 1)).toBe('a');
  expect(stepFrom([], null, 1)).toBeNull();
  expect(nextAfter(causes, 'a')).toBe('c');
  expect(nextAfter(causes, 'c')).toBe('a');
  expect(nextAfter(arrange([], [ask('a')]), 'a')).toBeNull();
});

test('several are approved together only if they are exactly the same', () => {
  const causes = arrange(
    [],
    [
      ask('a'),
      ask('b'),
      ask('c', { hash: 'x' }),
      ask('l', { subject: 'lost' }),
      ask('s', { work_item_id: null }),
      ask('q', { subject: 'question' }),
    ],
  );
  const ways = (...chosen: string[]) => waysOfMany(causes, new Set(chosen));
  expect(ways('a', 'b')).toEqual(['approve', 'deny']);
  expect(ways('a', 'c')).toEqual(['deny']);
  expect(ways('a', 'q')).toEqual(['deny']);
  expect(ways('l')).toEqual(['answer']);
  expect(ways('l', 'a')).toEqual([]);
  expect(ways('s')).toEqual([]);
  expect(ways()).toEqual([]);
});
