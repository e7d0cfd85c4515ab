import { expect, test } from 'vitest';
import { inOrder, problemText, stepsOf } from '../../../../src/console/pages/now/steps.ts';

test('a focus goes from step to step', () => {
  const shown = (phase: string | null) =>
    stepsOf(phase)
      .map(({ is }) => is)
      .join(' ');
  expect(shown('orient')).toBe('now next next');
  expect(shown('engage')).toBe('done now next');
  expect(shown('consolidate')).toBe('done done now');
  expect(shown('recover')).toBe('done done now');
  expect(shown(null)).toBe('next next next');
});

test('what has run longest comes first', () => {
  const focus = (work_item_id: string, started_at: string | null) => ({ work_item_id, started_at });
  const foci = [
    focus('c', null),
    focus('b', '2026-01-01T00:00:02Z'),
    focus('a', '2026-01-01T00:00:01Z'),
    focus('d', null),
  ];
  const order = inOrder(foci as unknown as Parameters<typeof inOrder>[0]).map(({ work_item_id }) => work_item_id);
  expect(order).toEqual(['a', 'b', 'c', 'd']);
});

test('a problem is a text, or has a message', () => {
  expect(problemText('bad')).toBe('bad');
  expect(problemText({ message: 'worse' })).toBe('worse');
  expect(problemText({ odd: 1 })).toBe('{"odd":1}');
  expect(problemText(null)).toBe('null');
});
