import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FocusEventBody } from '../../../src/engage/events/events.ts';
import { createTextFollower, createTextTeller } from '../../../src/engage/events/live-text.ts';
import { MAX_PIECE_CHARS, type TextPiece } from '../../../src/store/transcript/live-text.ts';
import { instantClock } from '../../llm/instant-clock.ts';

const text = (turn: number, said: string): FocusEventBody => ({ type: 'text', turn, text: said });
const started = (turn: number): FocusEventBody => ({ type: 'turn_started', turn, model: 'm' });
const recorded = (turn: number, said: string): FocusEventBody => ({
  type: 'turn_recorded',
  turn,
  model: 'p/m',
  text: said,
  calls: 0,
  inputTokens: null,
  outputTokens: null,
});
const begun: FocusEventBody = { type: 'focus_started', focusId: 'f', number: 1, resumed: false };
const piece = (turn: number, from: number, said: string, focus = 1): TextPiece => ({ focus, turn, from, text: said });

describe('the publisher of an answer', () => {
  it('collects pieces that arrive in quick succession, and sends each character once', async () => {
    const { told, teller, idle } = watched(() => true);
    for (const word of ['I ', 'look ', 'at ', 'it.']) teller.take(text(1, word));
    await idle();
    teller.take(text(1, ' Good.'));
    await idle();
    expect(told).toEqual([piece(1, 0, 'I look at it.'), piece(1, 13, ' Good.')]);
  });

  it('splits a long answer into pieces that fit into a notification, never inside a character', async () => {
    const { told, teller, idle } = watched(() => true);
    const long = `x${'🦊'.repeat(2000)}`;
    teller.take(text(1, long));
    await idle();
    expect(told.map((one) => one.text).join('')).toBe(long);
    for (const one of told) {
      expect(one.text.isWellFormed()).toBe(true);
      expect(one.text.length).toBeLessThanOrEqual(MAX_PIECE_CHARS);
    }
    const worst = JSON.stringify(piece(999_999, 9_999_999, '\u0001'.repeat(MAX_PIECE_CHARS)));
    expect(Buffer.byteLength(worst)).toBeLessThan(8000);
  });

  it('checks for watchers every two seconds, and starts from the beginning once there is one', async () => {
    let asked = 0;
    const { told, teller, idle, sleeps } = watched(() => (asked += 1) > 3);
    teller.take(text(1, 'All of it.'));
    await idle();
    expect(told.at(-1)).toEqual(piece(1, 0, 'All of it.'));
    expect(sleeps).toEqual([200, 2000, 2000, 2000, 200]);
  });

  it('drops an answer that is recorded or void, and treats a failure as if nobody watched', async () => {
    const failing = watched(() => {
      throw new Error('the database is away');
    });
    failing.teller.take(text(1, 'never told'));
    failing.teller.take(recorded(1, 'never told'));
    await failing.idle();
    const { told, teller, idle } = watched(() => true);
    teller.take(text(1, 'Half an ans'));
    await idle();
    teller.take({ type: 'restart', turn: 1 });
    teller.take(text(1, 'The whole.'));
    await idle();
    expect(told).toEqual([piece(1, 0, 'Half an ans'), piece(1, 0, 'The whole.')]);
  });

  it('sends what was sent again when somebody joins, marked as earlier, and then goes on', async () => {
    let mark = 'one';
    const { told, teller, idle } = watched(() => mark);
    teller.take(text(1, 'x'.repeat(MAX_PIECE_CHARS + 10)));
    await idle();
    expect(told.filter((one) => one.earlier)).toEqual([]);
    mark = 'two';
    teller.take(text(1, ' and more'));
    await idle();
    teller.take(text(1, ', to the end'));
    await idle();
    const joined = told.slice(2);
    expect(joined.map(({ from, text: said, earlier = false }) => [from, said.length, earlier])).toEqual([
      [MAX_PIECE_CHARS + 10, 9, false],
      [0, MAX_PIECE_CHARS, true],
      [MAX_PIECE_CHARS, 19, true],
      [MAX_PIECE_CHARS + 19, 12, false],
    ]);
  });

  function watched(answer: () => boolean | string) {
    const told: TextPiece[] = [];
    const clock = instantClock();
    const tell = async (one: TextPiece) => {
      told.push(one);
      const mark = answer();
      return mark === true ? 'the first' : mark || null;
    };
    const teller = createTextTeller(1, tell, clock);
    // A clock whose sleeps take no time, so only promises have to be awaited.
    const idle = () => new Promise((resolve) => setImmediate(resolve));
    return { told, teller, idle, sleeps: clock.sleeps };
  }
});

describe('a follower of answers', () => {
  it('gets pieces between the start of their turn and its record, even if they arrive first', () => {
    const follower = createTextFollower();
    follower.event(begun);
    expect(follower.piece(piece(1, 0, 'I look'))).toEqual([]);
    expect(follower.event(started(1))).toEqual([started(1), text(1, 'I look')]);
    expect(follower.piece(piece(1, 6, ' at it.'))).toEqual([text(1, ' at it.')]);
    expect(follower.event(recorded(1, 'I look at it.'))).toEqual([recorded(1, 'I look at it.')]);
    expect(follower.piece(piece(1, 6, ' at it.'))).toEqual([]);
  });

  it('shows nothing of an answer whose beginning it missed, until it is restarted', () => {
    const follower = createTextFollower();
    follower.event(begun);
    follower.event(started(1));
    expect(follower.piece(piece(1, 40, 'the rest'))).toEqual([]);
    expect(follower.piece(piece(1, 0, 'Anew'))).toEqual([text(1, 'Anew')]);
    expect(follower.piece(piece(1, 0, 'Once more'))).toEqual([{ type: 'restart', turn: 1 }, text(1, 'Once more')]);
    expect(follower.piece(piece(1, 0, 'of another focus', 2))).toEqual([]);
  });

  it('shows an answer whose beginning it missed as soon as that is sent again, and only what is missing', () => {
    const follower = createTextFollower();
    follower.event(begun);
    follower.event(started(1));
    expect(follower.piece(piece(1, 5, ' late'))).toEqual([]);
    expect(follower.piece({ ...piece(1, 0, 'Hello late'), earlier: true })).toEqual([text(1, 'Hello late')]);
    expect(follower.piece(piece(1, 10, ' one'))).toEqual([text(1, ' one')]);
    expect(follower.piece({ ...piece(1, 0, 'Hello late'), earlier: true })).toEqual([]);
    expect(follower.piece({ ...piece(1, 10, ' one.'), earlier: true })).toEqual([text(1, '.')]);
    expect(follower.piece({ ...piece(1, 40, 'far'), earlier: true })).toEqual([]);
  });

  it('whatever is lost or arrives twice, the text shown since the last start is a prefix of the answer', () => {
    const answer = 'The quick brown fox jumps over the lazy dog and back again.';
    const pieces = Array.from({ length: 10 }, (_, n) => piece(1, n * 6, answer.slice(n * 6, n * 6 + 6)));
    pieces.push(...pieces.map((one) => ({ ...one, earlier: true })));
    const what = fc.array(fc.nat({ max: pieces.length - 1 }), { maxLength: 30 });
    fc.assert(
      fc.property(what, fc.nat({ max: 30 }), (order, startAt) => {
        const follower = createTextFollower();
        follower.event(begun);
        let shown = '';
        const show = (events: readonly FocusEventBody[]) => {
          for (const event of events) {
            if (event.type === 'restart') shown = '';
            if (event.type === 'text') shown += event.text;
          }
        };
        for (const [index, n] of order.entries()) {
          if (index === startAt) show(follower.event(started(1)));
          show(follower.piece(pieces[n]!));
        }
        expect(answer.startsWith(shown)).toBe(true);
      }),
    );
  });
});
