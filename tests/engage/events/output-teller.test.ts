import { describe, expect, it } from 'vitest';
import type { FocusEventBody } from '../../../src/engage/events/events.ts';
import { createOutputTeller } from '../../../src/engage/events/output-teller.ts';
import { MAX_PIECE_CHARS, type OutputPiece } from '../../../src/store/events/live/live-pieces.ts';
import { instantClock } from '../../llm/instant-clock.ts';

const printed = (text: string, callId = 'c', stream: 'stdout' | 'stderr' = 'stdout'): FocusEventBody => ({
  type: 'observation',
  live: true,
  turn: 1,
  callId,
  stream,
  text,
});
const call = { turn: 1, callId: 'c', parentCallId: null, name: 'execute_code' };
const asked: FocusEventBody = { type: 'call', ...call, input: {} };
const ended: FocusEventBody = { type: 'observation', ...call, isError: false, output: '', durationMs: 1 };
const begun: FocusEventBody = { type: 'state', state: 'running', focus: 1, resumed: false, note: null };
const piece = (from: number, output: string, focus = 1): OutputPiece => ({
  focus,
  turn: 1,
  call: 'c',
  stream: 'stdout',
  from,
  output,
});

describe('the publisher of output', () => {
  it('collects what is printed in quick succession, and keeps the streams apart', async () => {
    const { told, teller, idle } = watched(() => true);
    for (const line of ['one\n', 'two\n']) teller.take(printed(line));
    teller.take(printed('careful\n', 'c', 'stderr'));
    await idle();
    teller.take(printed('three\n'));
    await idle();
    expect(told).toEqual([piece(0, 'one\ntwo\n'), { ...piece(0, 'careful\n'), stream: 'stderr' }, piece(8, 'three\n')]);
  });

  it('waits before the first piece of a burst only while it does not know that somebody watches', async () => {
    const { told, teller, idle, sleeps } = watched(() => true);
    teller.take(printed('one\n'));
    await idle();
    teller.take(printed('two\n'));
    await idle();
    expect(told).toEqual([piece(0, 'one\n'), piece(4, 'two\n')]);
    expect(sleeps).toEqual([200, 200, 0, 200]);
  });

  it('sends at most twelve pieces in a round, and leaves out the oldest of a flood', async () => {
    const { told, teller, idle, sleeps } = watched(() => true);
    for (let n = 0; n < 100; n++) teller.take(printed(`${'🦊'.repeat(500)}\n`));
    await idle();
    const total = 100 * 1001;
    expect(told[0]!.from).toBeGreaterThanOrEqual(total - 65_536);
    expect(told.at(-1)!.from + told.at(-1)!.output.length).toBe(total);
    for (const [n, one] of told.entries()) {
      expect(one.output.isWellFormed()).toBe(true);
      expect(one.output.length).toBeLessThanOrEqual(MAX_PIECE_CHARS);
      if (n > 0) expect(one.from).toBe(told[n - 1]!.from + told[n - 1]!.output.length);
    }
    // One sleep before the first round, and one after each.
    expect(sleeps.length).toBe(1 + Math.ceil(told.length / 12));
  });

  it('asks every two seconds whether somebody watches, and sends what is kept once somebody does', async () => {
    let asked = 0;
    const { told, teller, idle, sleeps } = watched(() => (asked += 1) > 3);
    teller.take(printed('All of it.'));
    await idle();
    expect(told.at(-1)).toEqual(piece(0, 'All of it.'));
    expect(sleeps).toEqual([200, 2000, 2000, 2000, 200]);
  });

  it('forgets the output of a call that has ended', async () => {
    const { told, teller, idle } = watched(() => true);
    teller.take(printed('late'));
    teller.take(ended);
    await idle();
    expect(told).toEqual([]);
  });

  it('sends nothing when nothing is printed', async () => {
    const { told, teller, idle, sleeps } = watched(() => true);
    for (const event of [begun, asked, ended]) teller.take(event);
    await idle();
    expect([told, sleeps]).toEqual([[], []]);
  });

  function watched(answer: () => boolean) {
    const told: OutputPiece[] = [];
    const clock = instantClock();
    const tell = async (one: OutputPiece) => {
      told.push(one);
      return answer();
    };
    const teller = createOutputTeller(1, tell, clock);
    const idle = async () => {
      for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
    };
    return { told, teller, idle, sleeps: clock.sleeps };
  }
});
