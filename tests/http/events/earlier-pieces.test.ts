/** What a daemon sends again of an answer, because somebody has joined, as the readers of an item get it. */
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { WatchedItem } from '../../../src/http/events/watched-item.ts';

const place = { focus: 1, turn: 1 };

function watched() {
  const item = new WatchedItem({ kind: 'work', id: 'w' }, systemClock);
  return {
    piece: (from: number, text: string) => item.piece('w', { ...place, from, text }),
    earlier: (from: number, text: string) => item.piece('w', { ...place, from, text, earlier: true }),
    hints: () => (item.ring.from(0)?.frames ?? []).map(({ json }) => JSON.parse(json) as Record<string, unknown>),
    present: () => item.present().map(({ json }) => JSON.parse(json) as Record<string, unknown>),
  };
}
const textsOf = (hints: readonly Record<string, unknown>[]) => hints.map(({ from, text }) => [from, text]);

test('what came before the first reader here is sent as soon as it is known, and each character once', () => {
  const { piece, earlier, hints, present } = watched();
  piece(5, ' late');
  expect(hints()).toEqual([]);
  earlier(0, 'Hello');
  earlier(5, ' late');
  piece(10, ' one');
  expect(textsOf(hints())).toEqual([
    [0, 'Hello'],
    [5, ' late'],
    [10, ' one'],
  ]);
  expect(textsOf(present())).toEqual([[0, 'Hello late one']]);
  expect(hints().every((hint) => !('earlier' in hint))).toBe(true);
});

test('readers that have the text get only what they had lost', () => {
  const { piece, earlier, hints } = watched();
  piece(0, 'Hello');
  earlier(0, 'Hello');
  earlier(3, 'lo there');
  earlier(40, 'far');
  expect(textsOf(hints())).toEqual([
    [0, 'Hello'],
    [5, ' there'],
  ]);
});
