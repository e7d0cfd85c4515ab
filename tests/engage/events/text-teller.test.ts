import { describe, expect, it } from 'vitest';
import type { FocusEventBody } from '../../../src/engage/events/events.ts';
import { createTextTeller } from '../../../src/engage/events/text-teller.ts';
import { MAX_PIECE_CHARS, type TextPiece } from '../../../src/store/events/live/live-pieces.ts';
import { instantClock } from '../../llm/instant-clock.ts';

const text = (turn: number, said: string): FocusEventBody => ({ type: 'text', live: true, turn, text: said });
const recorded = (turn: number): FocusEventBody => ({
  type: 'turn',
  turn,
  model: 'p/m',
  inputTokens: null,
  outputTokens: null,
});
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

  it('waits before the first piece of an answer only while it does not know that somebody watches', async () => {
    const { told, teller, idle, sleeps } = watched(() => true);
    teller.take(text(1, 'I look.'));
    await idle();
    teller.take(recorded(1));
    teller.take(text(2, 'I have '));
    teller.take(text(2, 'seen it.'));
    await idle();
    expect(told).toEqual([piece(1, 0, 'I look.'), piece(2, 0, 'I have seen it.')]);
    expect(sleeps).toEqual([200, 200, 0, 200]);
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
    failing.teller.take(recorded(1));
    await failing.idle();
    const { told, teller, idle } = watched(() => true);
    teller.take(text(1, 'Half an ans'));
    await idle();
    teller.take({ type: 'withdrawn', live: true, turn: 1 });
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
