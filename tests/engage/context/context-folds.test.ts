import { expect, test } from 'vitest';
import { legalCut, liveFolds } from '../../../src/engage/context/context-folds.ts';
import type { Transcript } from '../../../src/store/transcript/transcript.ts';

/** Turns from 1 with so many calls each, and the kinds of messages after turns. */
function transcript(calls: readonly number[], messages: readonly (readonly [number, string])[] = []): Transcript {
  return {
    turns: calls.map((count, n) => ({ turn: n + 1, calls: Array.from({ length: count }) })),
    messages: messages.map(([afterTurn, kind]) => ({ afterTurn, kind })),
  } as unknown as Transcript;
}

test('a history is cut where a message begins: not within an answer that continues a paused or empty one', () => {
  expect(legalCut(transcript([1, 1, 1]), 3)).toBe(3);
  expect(legalCut(transcript([1, 0, 0]), 3)).toBe(2);
  expect(legalCut(transcript([0, 0, 0]), 3)).toBe(1);
  expect(legalCut(transcript([1, 0, 1], [[2, 'operator']]), 3)).toBe(3);
  // A fold is no message of a person.
  expect(legalCut(transcript([1, 0, 1], [[2, 'stub']]), 3)).toBe(2);
});

test('the newest summary and the stubs after it are rendered, and all stubs before the first summary', () => {
  const kindsOf = (...kinds: string[]) =>
    liveFolds(
      transcript(
        [],
        kinds.map((kind, n) => [n, kind]),
      ),
    ).map((fold) => [fold.afterTurn, fold.kind]);
  expect(kindsOf('stub', 'operator', 'stub')).toEqual([
    [0, 'stub'],
    [2, 'stub'],
  ]);
  expect(kindsOf('stub', 'summary', 'stub', 'summary', 'stub')).toEqual([
    [3, 'summary'],
    [4, 'stub'],
  ]);
});
