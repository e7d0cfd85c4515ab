/** Promise: what readers have of a lost attempt is withdrawn by an event that says so, and a gap is asked for instead of ending the text. */
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { WatchedItem } from '../../../src/http/events/watched-item.ts';
import type { EventBody } from '../../../src/store/events/event.ts';
import type { AnyPage } from '../../../src/store/events/places.ts';
import { BEGINNING } from '../../../src/store/events/position.ts';

const running = { type: 'state', state: 'running', focus: 1, by: null, note: null } as const;

function watched() {
  const item = new WatchedItem({ kind: 'work', id: 'w' }, systemClock);
  const hintsOf = (frames: readonly { readonly json: string }[]) =>
    frames.map(({ json }) => JSON.parse(json) as Record<string, unknown>).filter(({ type }) => type !== 'state');
  return {
    piece: (from: number, text: string, place = { focus: 1, turn: 1 }) => item.piece('w', { ...place, from, text }),
    earlier: (from: number, text: string) => item.piece('w', { focus: 1, turn: 1, from, text, earlier: true }),
    take: (bodies: readonly EventBody[], state = 'running') =>
      item.take({
        position: BEGINNING,
        more: false,
        items: [{ id: 'w', state, waiting: null }],
        events: bodies.map((body, n) => ({
          event: { ...body, workItemId: 'w', atMs: 0 },
          step: { part: 'mark', number: n + 1 },
          after: BEGINNING,
        })),
      } as unknown as AnyPage),
    hints: () => hintsOf(item.ring.from(0)?.frames ?? []).map(({ type, from, text }) => [type, from, text]),
    present: () => hintsOf(item.present()).map(({ from, text }) => [from, text]),
  };
}

test('a piece that does not join is asked for, and readers get what they had lost', () => {
  const { piece, earlier, hints, present } = watched();
  expect(piece(0, 'Once ')).toBe(false);
  expect(piece(10, 'a time')).toBe(true);
  expect(earlier(0, 'Once upon a time')).toBe(false);
  expect(piece(16, ' there')).toBe(false);
  expect(hints()).toEqual([
    ['text', 0, 'Once '],
    ['text', 5, 'upon a time'],
    ['text', 16, ' there'],
  ]);
  expect(present()).toEqual([[0, 'Once upon a time there']]);
});

test.each([
  ['a daemon goes on with the focus', { ...running, resumed: true }],
  ['a later focus begins', { ...running, focus: 2, resumed: false }],
  ['the attempt fails', { type: 'error', focus: 1, endedAs: 'lost', message: null }],
] as const)('the text is withdrawn when %s', (_what, body) => {
  const { piece, take, hints, present } = watched();
  take([{ ...running, resumed: false }]);
  piece(0, 'The first attempt');
  take([body]);
  expect(hints().filter(([type]) => type === 'withdrawn')).toHaveLength(1);
  expect(present()).toEqual([]);
  expect(piece(900, 'late')).toBe(true);
});

test('the text is withdrawn when its daemon is lost and nobody works on the item, and before the end of an item without its record', () => {
  const one = watched();
  one.piece(0, 'The first attempt');
  one.take([], 'queued');
  expect(one.present()).toEqual([]);
  const other = watched();
  other.piece(0, 'The first attempt');
  const nothing = { summary: null, error: null, mergedInto: null, costUsd: null, unpricedCalls: 0 };
  other.take([{ type: 'done', state: 'dead', ...nothing }], 'dead');
  expect(other.hints().map(([type]) => type)).toEqual(['text', 'withdrawn', 'done']);
});

test('a text that was sent again and differs is of another attempt', () => {
  const { piece, earlier, hints, present } = watched();
  piece(0, 'Good morning');
  expect(piece(20, 'all of you')).toBe(true);
  earlier(0, 'Good day, and hello all of you');
  expect(hints().map(([type]) => type)).toEqual(['text', 'withdrawn', 'text']);
  expect(present()).toEqual([[0, 'Good day, and hello all of you']]);
});

test('a recorded turn ends its own text, and not that of the next one', () => {
  const { piece, take, hints, present } = watched();
  piece(0, 'First');
  piece(0, 'Second', { focus: 1, turn: 2 });
  const unknown = { stopReason: null, inputTokens: null, outputTokens: null, costUsd: null, durationMs: null };
  take([{ type: 'turn', focus: 1, turn: 1, model: 'm', ...unknown }]);
  piece(0, 'First, late');
  piece(0, 'Of a lost daemon', { focus: 0, turn: 9 });
  expect(present()).toEqual([[0, 'Second']]);
  expect(hints().filter(([type]) => type === 'withdrawn')).toEqual([]);
});
