/** The part of an item's events that its foci write: each begins, its turns are answered, their calls end, it ends. */
import type { EventBody } from './event.ts';
import type { CallFacts, FocusFacts, ItemFacts, TurnFacts } from './facts.ts';
import type { Entry, Part } from './part.ts';
import { isPast, type Position } from './position.ts';

/**
 * The entries after the position, in order. All calls of a turn have ended before the next turn is answered, so what is
 * left of a turn comes before the next one.
 */
export function focusPart(facts: ItemFacts, position: Position): Part {
  const more = facts.turns.length >= facts.limit || facts.foci.length > facts.limit;
  const lastTurn = facts.turns.at(-1);
  const entries: Entry[] = [];
  for (const focus of facts.foci) {
    entries.push(...beginningOf(focus));
    if (focus.number === position.focus && position.turn > 0 && position.answer === null) {
      entries.push(...callEntries(callsOf(facts, focus.number, position.turn)));
    }
    for (const turn of facts.turns.filter((one) => one.focus === focus.number)) {
      const calls = callsOf(facts, turn.focus, turn.turn);
      entries.push(...answerEntries(turn, calls), ...callEntries(calls));
    }
    if (more && focus.number === lastTurn?.focus) break;
    entries.push(...endOf(focus));
  }
  return { entries: entries.filter(({ step }) => !isPast(position, step)), more };
}

function callsOf(facts: ItemFacts, focus: number, turn: number): CallFacts[] {
  return facts.calls.filter((call) => call.focus === focus && call.turn === turn);
}

function beginningOf({ number, at }: FocusFacts): Entry[] {
  const event: EventBody = { type: 'state', state: 'running', focus: number, resumed: false, by: null, note: null };
  return [{ step: { part: 'focus', focus: number }, at, event }];
}

/** A focus that completed or was cancelled ends with its item, whose end has an event; before it comes the text of an answer that was cut off. */
function endOf({ number, endedAs, error, endedAt, cutOff }: FocusFacts): Entry[] {
  if (endedAt !== null && cutOff !== null) {
    const { leftOut, ...said } = cutOff;
    const event: EventBody = { type: 'text', focus: number, ...said, cutOff: true, ...(leftOut && { leftOut }) };
    return [{ step: { part: 'focusEnd', focus: number }, at: endedAt, event }];
  }
  if (endedAt === null || (endedAs !== 'failed' && endedAs !== 'lost')) return [];
  const event: EventBody = { type: 'error', focus: number, endedAs, message: error };
  return [{ step: { part: 'focusEnd', focus: number }, at: endedAt, event }];
}

/** The answer, block by block, and the calls that it asks for. */
function answerEntries(facts: TurnFacts, calls: readonly CallFacts[]): Entry[] {
  const { focus, turn, at, blocks, estimated, ...rest } = facts;
  const events: EventBody[] = [
    { type: 'turn', focus, turn, ...rest, ...(estimated === true && { estimated }) },
    ...blocks.map(
      ({ type, text, leftOut }) =>
        ({
          type: type === 'text' ? 'text' : 'thought',
          focus,
          turn,
          text: text ?? '',
          ...(leftOut && { leftOut }),
        }) as const,
    ),
    ...calls.filter(({ parentCallId }) => parentCallId === null).map(askedFor),
  ];
  return events.map((event, index) => ({
    step: { part: 'answer', focus, turn, index, of: events.length },
    at,
    event,
  }));
}

function askedFor({ focus, turn, callId, parentCallId, name, input }: CallFacts): CallEvent {
  return { type: 'call', focus, turn, callId, parentCallId, name, input };
}

type CallEvent = Extract<EventBody, { type: 'call' | 'observation' }>;

/** The ends of calls, and what their code called, in order of time (at the same time, by their ids). Code's calls begin before they end, and end before the call that runs it. */
function callEntries(calls: readonly CallFacts[]): Entry[] {
  const entries = calls.flatMap((call): (Entry & { readonly rank: number; readonly event: CallEvent })[] => {
    const { focus, turn, position, parentCallId: parent, startedAt, endedAt } = call;
    const key = { focus, turn, position };
    // Not before it began, though the clock was set back: a call that has ended is not read again.
    const ended = endedAt === null ? [] : [{ at: Math.max(endedAt, startedAt ?? endedAt), event: endedCall(call) }];
    if (parent === null) return ended.map((one) => ({ ...one, rank: 2, step: { part: 'callEnd', ...key } }));
    return [
      { at: startedAt ?? endedAt ?? 0, rank: 0, step: { part: 'codeBegun', parent, ...key }, event: askedFor(call) },
      ...ended.map((one) => ({ ...one, rank: 1, step: { part: 'codeEnded' as const, parent, ...key } })),
    ];
  });
  return entries.toSorted((a, b) => a.at - b.at || a.rank - b.rank || (a.event.callId < b.event.callId ? -1 : 1));
}

function endedCall(call: CallFacts): CallEvent {
  const { focus, turn, callId, parentCallId, name, finalInput, state, isError, output, outputBytes, durationMs } = call;
  return {
    type: 'observation',
    focus,
    turn,
    callId,
    parentCallId,
    name,
    input: finalInput,
    state,
    isError,
    output: output ?? '',
    outputBytes: outputBytes ?? 0,
    durationMs,
  };
}
