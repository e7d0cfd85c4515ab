/** Promise: an ended answer keeps every word and loses its tool traffic; what comes before stays the same; a summary ends what it stands for. */
import { describe, expect, test } from 'vitest';
import { answerTraces } from '../../../src/engage/context/answer-traces.ts';
import { renderMessages } from '../../../src/engage/context/context.ts';
import { dueReminders } from '../../../src/engage/context/nudge.ts';
import { turnsLeft } from '../../../src/engage/verdict/verdict.ts';
import type { EngineMessage } from '../../../src/store/transcript/messages.ts';
import type { Transcript } from '../../../src/store/transcript/transcript.ts';
import type { RecordedTurn } from '../../../src/store/transcript/turns.ts';
import { measureTalk } from '../../bench/engage/conversation.ts';

/** A turn that says something and makes these calls. */
function turn(number: number, text: string, calls: readonly string[] = [], era?: number): RecordedTurn {
  return {
    turn: number,
    provider: 'p',
    model: 'm',
    content: [
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...calls.map((id) => ({ type: 'tool_call' as const, id, name: 'look', input: { id } })),
    ],
    stopReason: 'end_turn',
    cutToolCalls: [],
    inputTokens: null,
    calls: calls.map((callId) => ({
      callId,
      name: 'look',
      input: { callId },
      finalInput: null,
      state: 'done',
      output: `result ${callId}`,
      isError: false,
    })),
    ...(era !== undefined && { era }),
  };
}
const message = (
  afterTurn: number,
  kind: EngineMessage['kind'],
  content: string,
  more: Partial<EngineMessage> = {},
): EngineMessage => ({ afterTurn, kind, content, ...more });

/** `role: text | text` for each message; calls and results by name. */
const shown = (transcript: Transcript) =>
  renderMessages(transcript).map(
    ({ role, content }) =>
      `${role}: ${content.map((block) => (block.type === 'text' ? block.text : block.type === 'tool_call' ? `<${block.id}>` : block.type === 'tool_result' ? `[${block.callId}]` : block.type)).join(' | ')}`,
  );
const inherited = (transcript: Transcript, era = 1): Transcript => ({
  turns: transcript.turns.map((each) => ({ ...each, era: each.era ?? era })),
  messages: transcript.messages.map((each) => ({ ...each, era: each.era ?? era })),
});
const next = (before: Transcript, content: string, era = 1): Transcript => {
  const { turns, messages } = inherited(before, era);
  return { turns, messages: [...messages, message(turns.length, 'orient', content)] };
};

const FIRST: Transcript = {
  messages: [message(0, 'orient', 'q1'), message(1, 'operator', 'told'), message(1, 'nudge', 'nudge')],
  turns: [turn(1, 'look first', ['a', 'b']), turn(2, 'a1')],
};

describe('an ended answer', () => {
  test('keeps what was said, in order, and nothing of its calls', () => {
    expect(shown(next(FIRST, 'q2'))).toEqual([
      'user: q1',
      'assistant: look first',
      'user: told',
      'assistant: a1',
      'user: q2',
    ]);
    expect(answerTraces(inherited(FIRST))).toContain('look {"callId":"a"}: 8 bytes\nlook {"callId":"b"}: 8 bytes');
  });

  test('stays verbatim without calls, with its notices', () => {
    const plain: Transcript = {
      messages: [message(0, 'orient', 'q1'), message(1, 'notice', 'n')],
      turns: [turn(1, 'x'), turn(2, 'a1')],
    };
    expect(shown(next(plain, 'q2'))).toEqual([...shown(plain), 'user: q2']);
    expect(answerTraces(inherited(plain))).toBeNull();
  });

  test('that said nothing leaves only the question', () => {
    const silent: Transcript = { messages: [message(0, 'orient', 'q1')], turns: [turn(1, '', ['a'])] };
    expect(shown(next(silent, 'q2'))).toEqual(['user: q1 | q2']);
  });

  test('with stubs keeps them in their places, also among later answers', () => {
    const stubbed: Transcript = {
      messages: [message(0, 'orient', 'q1'), message(2, 'stub', 'STUB', { keepsFrom: 2 })],
      turns: [turn(1, 'early', ['a']), turn(2, 'step', ['s']), turn(3, 'a1')],
    };
    const two = next(stubbed, 'q2');
    expect(shown(two)).toEqual(['user: q1 | STUB', 'assistant: step | a1', 'user: q2']);
    const three = next({ ...two, turns: [...two.turns, turn(4, 'a2')] }, 'q3', 2);
    expect(shown(three)).toEqual([...shown(two), 'assistant: a2', 'user: q3']);
    // A stub of a later answer folds nothing of the ones before.
    const late: Transcript = {
      turns: [...three.turns, turn(5, 'work', ['x']), turn(6, 'step', ['y'])],
      messages: [...three.messages, message(6, 'stub', 'LATE', { keepsFrom: 6 })],
    };
    expect(shown(late)).toEqual([
      ...shown(three).slice(0, -1),
      'user: q3 | LATE',
      'assistant: step | <y>',
      'user: [y]',
    ]);
  });
});

describe('a summary', () => {
  const two = next(FIRST, 'q2');
  const worked: Transcript = {
    turns: [...two.turns, turn(3, 'w', ['c']), turn(4, 'v', ['d'])],
    messages: two.messages,
  };

  test('within an answer ends the ones before, and keeps its question and what people told', () => {
    const full: Transcript = {
      ...worked,
      messages: [...worked.messages, message(4, 'summary', 'SUM', { keepsFrom: 4 })],
    };
    expect(shown(full)).toEqual(['user: q1 | told | q2 | SUM', 'assistant: v | <d>', 'user: [d]']);
  });

  test('before the first turn of an answer keeps the newest words', () => {
    const full: Transcript = { ...two, messages: [...two.messages, message(2, 'summary', 'SUM', { keepsFrom: 2 })] };
    expect(shown(full)).toEqual(['user: q1 | told | SUM', 'assistant: a1', 'user: q2']);
  });
});

test('limits and reminders count the turns of the answer', () => {
  const two = next(FIRST, 'q2');
  const worked: Transcript = { ...two, turns: [...two.turns, turn(3, 'w', ['c'])] };
  expect(turnsLeft(worked, { maxTurns: 6 })).toBe(5);
  expect(dueReminders(worked, { ledgerNudgeInterval: 2, maxTurns: 100, thinks: false })).toEqual([]);
});

test('thirty answers with tools cost less than half of the whole history, and without tools the same', () => {
  const ways = [
    { name: 'answers go on', eras: true },
    { name: 'whole', eras: false },
  ];
  const [ours, whole] = ways.map((way) => measureTalk({ name: 'mixed', turnsWithCalls: 4, every: 3 }, way));
  expect(ours!.usd / whole!.usd).toBeLessThan(0.5);
  const [plain, same] = ways.map((way) => measureTalk({ name: 'plain', turnsWithCalls: 0, every: 1 }, way));
  expect(plain).toEqual(same);
  expect(plain!.read / plain!.input).toBeGreaterThan(0.9);
});
