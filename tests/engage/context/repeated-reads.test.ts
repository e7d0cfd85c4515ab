/** Promise: an unchanged file that is read again is in the context once, and always at least once. */
import { expect, test } from 'vitest';
import { newestAsShown, renderMessages } from '../../../src/engage/context/context.ts';
import { inputPressure } from '../../../src/engage/context/pressure.ts';
import type { RecordedCall } from '../../../src/store/transcript/calls.ts';
import type { EngineMessage } from '../../../src/store/transcript/messages.ts';
import type { RecordedTurn } from '../../../src/store/transcript/turns.ts';
import { PREFIX } from './context-checks.ts';

const TEXT = '1\tline of the file\n'.repeat(40);

function read(output: string, more: Partial<RecordedCall> = {}): Omit<RecordedCall, 'callId'> {
  return { name: 'read_file', input: { path: 'a' }, finalInput: null, state: 'done', output, isError: false, ...more };
}

function turn(number: number, ...calls: Omit<RecordedCall, 'callId'>[]): RecordedTurn {
  const made = calls.map((call, index) => ({ ...call, callId: `c${number}_${index}` }));
  return {
    turn: number,
    provider: 'anthropic',
    model: 'm',
    content: made.map(({ callId: id, name, input }) => ({ type: 'tool_call' as const, id, name, input })),
    stopReason: 'tool_use',
    cutToolCalls: [],
    inputTokens: 1000,
    calls: made,
  };
}

/** The results that a request shows, by turn. */
function shown(turns: readonly RecordedTurn[], messages: readonly EngineMessage[] = []): string[] {
  return renderMessages({ turns, messages }).flatMap(({ content }) =>
    content.flatMap((block) =>
      block.type === 'tool_result' ? block.content.map((part) => (part.type === 'text' ? part.text : '')) : [],
    ),
  );
}

test('the second result is a note, and a third one names the first turn', () => {
  const results = shown([turn(1, read(TEXT)), turn(2, read(TEXT)), turn(3, read(TEXT))]);
  expect(results).toEqual([TEXT, expect.stringContaining('unchanged since turn 1:'), results[1]]);
});

test('a text that was another in between is shown again', () => {
  const other = TEXT.replaceAll('line', 'word');
  expect(shown([turn(1, read(TEXT)), turn(2, read(other)), turn(3, read(TEXT)), turn(4, read(TEXT))])).toEqual([
    TEXT,
    other,
    TEXT,
    expect.stringContaining('unchanged since turn 3:'),
  ]);
});

test.each([
  ['another range', read(TEXT, { input: { path: 'a', offset: 2 } })],
  ['a range that a hook has changed', read(TEXT, { finalInput: { path: 'a', offset: 2 } })],
  ['another file', read(TEXT, { input: { path: 'b' } })],
  ['another tool', read(TEXT, { name: 'grep' })],
  ['a failure', read(TEXT, { isError: true })],
])('%s is shown', (_what, call) => {
  expect(shown([turn(1, read(TEXT)), turn(2, call)])).toEqual([TEXT, TEXT]);
});

test('a short text, and two reads in one answer, are shown', () => {
  expect(shown([turn(1, read('1\tx')), turn(2, read('1\tx'))])).toEqual(['1\tx', '1\tx']);
  expect(shown([turn(1, read(TEXT), read(TEXT))])).toEqual([TEXT, TEXT]);
});

test('when the first is folded, the next request has the text in the place of the note', () => {
  const turns = [turn(1, read(TEXT)), turn(2, read(TEXT)), turn(3, read(TEXT))];
  const stub = { afterTurn: 2, kind: 'stub' as const, content: 'stub', keepsFrom: 2 };
  expect(shown(turns, [stub])).toEqual([TEXT, expect.stringContaining('unchanged since turn 2:')]);
});

test('the size of a request counts the note, not the text', () => {
  const once = { turns: [turn(1, read(TEXT))], messages: [] };
  const twice = { turns: [turn(1, read(TEXT)), turn(2, read(TEXT))], messages: [] };
  expect(newestAsShown(once).calls[0]!.output).toBe(TEXT);
  expect(inputPressure(once, PREFIX) - inputPressure(twice, PREFIX)).toBeGreaterThan(100);
});
