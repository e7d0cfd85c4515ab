/** What every reader gets of an item: hints stand between the recorded events, and nothing comes after the end. */
import { expect, test } from 'vitest';
import type { EventBody, WorkEvent } from '../../../../src/store/events/event.ts';
import { createFeed, type FeedEntry } from '../../../../src/store/events/live/feed.ts';
import { BEGINNING } from '../../../../src/store/events/position.ts';

const page = (state: 'running' | 'waiting' | 'completed', ...bodies: readonly Partial<EventBody>[]) => ({
  events: bodies.map((body) => ({
    event: { workItemId: 'w', atMs: 0, ...body } as WorkEvent,
    step: { part: 'created' } as const,
    after: BEGINNING,
  })),
  position: BEGINNING,
  more: false,
  items: [{ id: 'w', state, waiting: null }],
});
const piece = { focus: 1, turn: 1, from: 0, text: 'Hel' };
const output = { focus: 1, turn: 1, call: 'a', stream: 'stdout', from: 0, output: 'one' } as const;
const names = (entries: readonly FeedEntry[]) =>
  entries.map((entry) => ('hint' in entry ? `live ${entry.hint.type}` : entry.placed.event.type));

test('the text of an attempt that fails is withdrawn before its error, and where the item is now comes last', () => {
  const feed = createFeed();
  expect(names(feed.take(page('running')))).toEqual(['live state']);
  expect(feed.piece('w', piece).hints).toMatchObject([{ type: 'text', text: 'Hel', from: 0 }]);
  expect(names(feed.take(page('waiting', { type: 'error', focus: 1 })))).toEqual([
    'live withdrawn',
    'error',
    'live state',
  ]);
  expect(feed.take(page('waiting'))).toEqual([]);
});

test('a reader that joins gets the answer and the output that are coming, until they are recorded', () => {
  const feed = createFeed();
  feed.begin(page('running').items);
  feed.piece('w', piece);
  feed.piece('w', output);
  const present = () => feed.present().map(({ type }) => type);
  expect(present()).toEqual(['state', 'text', 'observation']);
  feed.take(page('running', { type: 'turn', focus: 1, turn: 1 }, { type: 'observation', callId: 'a' }));
  expect(present()).toEqual(['state']);
});

test('nothing comes after the end', () => {
  const feed = createFeed();
  expect(names(feed.take(page('completed', { type: 'done', state: 'completed' })))).toEqual(['done']);
  expect([feed.piece('w', piece).hints, feed.piece('w', output).hints, feed.present()]).toEqual([[], [], []]);
});

test('a piece whose beginning is missing is asked for', () => {
  expect(createFeed().piece('w', { ...piece, from: 5 })).toEqual({ hints: [], gap: true });
});
