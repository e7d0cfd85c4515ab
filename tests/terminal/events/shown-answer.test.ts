import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EventBody, WorkEvent } from '../../../src/store/events/event.ts';
import type { FeedEntry } from '../../../src/store/events/live/feed.ts';
import type { LivePiece } from '../../../src/store/events/live/live-pieces.ts';
import { BEGINNING } from '../../../src/store/events/position.ts';
import { createOrderedFeed } from '../../../src/terminal/events/ordered-feed.ts';
import { foldAnswer, type Shown } from '../../../src/terminal/events/shown-answer.ts';

const event = (body: EventBody) => ({ ...body, workItemId: 'w', atMs: 0 }) as WorkEvent;
const turn = (n: number) =>
  event({
    type: 'turn',
    focus: 1,
    turn: n,
    model: 'm',
    stopReason: null,
    inputTokens: 0,
    outputTokens: 0,
    costUsd: 0,
    durationMs: 0,
  });
const text = (n: number, words: string) => event({ type: 'text', focus: 1, turn: n, text: words });

/** The answer as a reader of the feed shows it. */
function createLiveText() {
  const feed = createOrderedFeed('w');
  const answer = foldAnswer();
  const show = (entries: readonly FeedEntry[]): readonly Shown[] => entries.flatMap((entry) => answer.take(entry));
  return {
    get gap() {
      return feed.gap;
    },
    get waits() {
      return feed.held > 0;
    },
    piece: (piece: LivePiece) => show(feed.piece(piece)),
    settled: () => show(feed.release(feed.held)),
    recorded(one: WorkEvent): readonly Shown[] {
      const items = [{ id: 'w', state: 'running', waiting: null }] as const;
      const events = [{ event: one, step: { part: 'created' } as const, after: BEGINNING }];
      return show(feed.take({ events, position: BEGINNING, more: false, items }));
    },
  };
}

/** What a person reads; `~` where the answer began again. */
const read = (all: readonly Shown[]) =>
  all.map((shown) => (shown.type === 'text' ? shown.text : shown.type === 'again' ? '~' : '')).join('');

test('a text that is recorded meanwhile is completed, and not shown again', () => {
  const live = createLiveText();
  const shown = [
    ...live.piece({ focus: 1, turn: 1, from: 0, text: 'Hel' }),
    ...live.settled(),
    ...live.piece({ focus: 1, turn: 1, from: 3, text: 'lo' }),
    ...live.recorded(turn(1)),
    ...live.recorded(text(1, 'Hello, you.')),
    ...live.piece({ focus: 1, turn: 1, from: 5, text: ', you.' }),
    ...live.settled(),
  ];
  expect(read(shown)).toBe('Hello, you.');
});

test('a piece of the next turn waits for what is recorded before it', () => {
  const live = createLiveText();
  expect(live.piece({ focus: 1, turn: 2, from: 0, text: 'Next.' })).toEqual([]);
  expect(live.waits).toBe(true);
  expect(read([...live.recorded(turn(1)), ...live.recorded(text(1, 'First. ')), ...live.settled()])).toBe(
    'First. Next.',
  );
});

test.each([
  [
    'an answer that begins again',
    [
      [0, 'Good m'],
      [0, 'Good day'],
    ],
    'Good day.',
    'Good m~Good day.',
  ],
  [
    'a piece that was lost',
    [
      [0, 'Good '],
      [9, 'ing'],
    ],
    'Good morning',
    'Good morning',
  ],
  ['watching that began in the middle', [[5, 'morning']], 'Good morning', 'Good morning'],
  ['a record that differs', [[0, 'Good m']], 'Bad day', 'Good m~Bad day'],
] as const)('%s', (_what, pieces, recorded, shown) => {
  const live = createLiveText();
  const all = pieces.flatMap(([from, words]) => [
    ...live.piece({ focus: 1, turn: 1, from, text: words }),
    ...live.settled(),
  ]);
  expect(read([...all, ...live.recorded(turn(1)), ...live.recorded(text(1, recorded))])).toBe(shown);
});

test('what came before somebody joined is shown as soon as it is sent again, and only what is missing', () => {
  const live = createLiveText();
  const piece = (from: number, words: string, earlier = false) => [
    ...live.piece({ focus: 1, turn: 1, from, text: words, ...(earlier && { earlier }) }),
    ...live.settled(),
  ];
  expect(read(piece(5, ' late'))).toBe('');
  expect(read(piece(0, 'Hello', true))).toBe('Hello');
  expect(read(piece(5, ' late', true))).toBe(' late');
  expect(read(piece(10, ' one'))).toBe(' one');
  expect(read([...piece(0, 'Hello', true), ...piece(40, 'far', true)])).toBe('');
  expect(read(piece(10, ' one.', true))).toBe('.');
});

test('whatever pieces come, and whenever: the recorded words are read once and in order', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('piece' as const), lost: fc.boolean(), size: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ kind: fc.constant('read' as const) }),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.array(step)), { minLength: 1 }), (turns) => {
      const live = createLiveText();
      const all: Shown[] = [];
      for (const [index, [words, steps]] of turns.entries()) {
        let from = 0;
        for (const one of steps) {
          if (one.kind === 'read') all.push(...live.settled());
          else if (from < words.length) {
            const piece = { focus: 1, turn: index + 1, from, text: words.slice(from, from + one.size) };
            from += piece.text.length;
            if (!one.lost) all.push(...live.piece(piece));
            // Somebody joins.
            if (one.size === 1)
              all.push(...live.piece({ ...piece, from: 0, text: words.slice(0, from), earlier: true }));
          }
        }
        all.push(...live.recorded(turn(index + 1)), ...live.recorded(text(index + 1, words)), ...live.settled());
      }
      expect(read(all)).toBe(turns.map(([words]) => words).join(''));
    }),
  );
});

const running = { type: 'state', state: 'running', by: null, note: null } as const;
test.each([
  ['a daemon continues', event({ ...running, focus: 1, resumed: true })],
  ['a later focus begins', event({ ...running, focus: 2, resumed: false })],
  ['the attempt fails', event({ type: 'error', focus: 1, endedAs: 'lost', message: null })],
] as const)('what came is withdrawn when %s', (_what, voided) => {
  const live = createLiveText();
  const shown = [
    ...live.piece({ focus: 1, turn: 1, from: 0, text: 'Hel' }),
    ...live.settled(),
    ...live.recorded(voided),
  ];
  expect(shown.map(({ type }) => type)).toEqual(['text', 'withdrawn', 'recorded']);
});

test('an attempt whose pieces come before the event that it goes on is shown once, after the event', () => {
  const live = createLiveText();
  const piece = (from: number, words: string) => live.piece({ focus: 1, turn: 1, from, text: words });
  const resumed = event({ ...running, focus: 1, resumed: true });
  const kinds = (shown: readonly Shown[]) => shown.map(({ type }) => type);
  expect(kinds([...piece(0, 'Hel'), ...live.settled(), ...piece(0, 'Good'), ...piece(4, ' ')])).toEqual(['text']);
  expect(kinds(live.recorded(resumed))).toEqual(['withdrawn', 'recorded']);
  expect(read([...live.settled(), ...piece(5, 'day')])).toBe('Good day');
  // The next one is another attempt.
  expect(kinds(live.recorded(resumed))).toEqual(['withdrawn', 'recorded']);
});

test('after a gap the rest is asked for, and completes the text', () => {
  const live = createLiveText();
  const piece = (from: number, words: string, earlier = false) =>
    live.piece({ focus: 1, turn: 1, from, text: words, ...(earlier && { earlier }) });
  const shown = [...piece(0, 'Once '), ...live.settled(), ...piece(10, 'a time')];
  expect(live.gap).toBe(true);
  expect(read([...shown, ...piece(0, 'Once upon a time', true), ...piece(16, '.')])).toBe('Once upon a time.');
  expect(live.gap).toBe(false);
});

test('what the event of a long text leaves out is said, unless it was shown as it came', () => {
  const long = event({ type: 'text', focus: 1, turn: 1, text: 'Hello', leftOut: 6 });
  const late = createLiveText();
  expect([...late.recorded(turn(1)), ...late.recorded(long)].at(-1)).toEqual({ type: 'left_out', characters: 6 });
  const live = createLiveText();
  const seen = [...live.piece({ focus: 1, turn: 1, from: 0, text: 'Hello world' }), ...live.settled()];
  expect(read([...seen, ...live.recorded(turn(1)), ...live.recorded(long)])).toBe('Hello world');
});
