/** What a conversation shows of the states and the end of an answer. */
import { expect, test } from 'vitest';
import { createEventView } from '../../../../src/features/conversations/session/event-view.ts';
import type { WorkEvent } from '../../../../src/store/events/event.ts';
import { playedConsole } from '../played-console.ts';

type State = Pick<Extract<WorkEvent, { type: 'state' }>, 'state' | 'by' | 'resumed'>;

/** The lines that a state is shown as, at the terminal of alice. */
function linesOf(state: State): readonly string[] {
  const { console, rows } = playedConsole();
  const view = createEventView(console, { thoughts: () => false, actor: () => 'alice', conversation: () => null });
  view.show({ type: 'recorded', event: { type: 'state', workItemId: 'w', atMs: 0, ...state } as WorkEvent });
  // Not those of the prompt.
  return rows().filter((row) => !['', '>'].includes(row.trim()));
}

test('who stops an answer is said to others, and what a daemon does only if it goes on with it', () => {
  expect(linesOf({ state: 'cancelling', by: 'bob', resumed: false })).toEqual(['bob stops the answer']);
  expect(linesOf({ state: 'cancelling', by: null, resumed: false })).toEqual(['somebody stops the answer']);
  expect(linesOf({ state: 'cancelling', by: 'alice', resumed: false })).toEqual([]);
  expect(linesOf({ state: 'running', by: null, resumed: false })).toEqual([]);
  expect(linesOf({ state: 'running', by: null, resumed: true })).toEqual(['a daemon continues the answer']);
});

test.each([
  ['merged', '\u001b[33mthe answer was merged into other work'],
  ['cancelled', '\u001b[33mthe answer was stopped'],
  ['dead', '\u001b[31mno answer: it broke'],
])('an answer whose item is %s is shown so, in its colour', (state, shown) => {
  const { console, written } = playedConsole();
  const view = createEventView(console, { thoughts: () => false, actor: () => 'alice', conversation: () => null });
  const event = { type: 'done', workItemId: 'w', atMs: 0, state, error: 'it broke', costUsd: 0, unpricedCalls: 0 };
  view.show({ type: 'recorded', event: event as WorkEvent });
  expect(written()).toContain(shown);
});
