/** The events of a focus, rebuilt from the tables: for followers in other processes and for late ones. */

import { isTerminal } from '../../core/work/work.ts';
import type {
  CallProgress,
  FocusProgress,
  MailProgress,
  Progress,
  ProgressCursor,
  TurnProgress,
} from '../../store/transcript/progress.ts';
import type { FocusEventBody } from './events.ts';

/** An event and its time, in milliseconds since the epoch. */
export type TimedEvent = FocusEventBody & { readonly atMs: number };

export interface Replay {
  /** Where to continue reading: everything before has been returned. */
  readonly cursor: ProgressCursor;
  /** The events in this snapshot that were not in an earlier one, in order of time. */
  take(progress: Progress): TimedEvent[];
}

/**
 * Follows one item. Each fact in the tables becomes exactly one event, however often and whenever the tables are read. If a resumed
 * focus repeats a request, there is one event per read. Texts arrive whole, with `turn_recorded`.
 */
export function createReplay(): Replay {
  const told = new Set<string>();
  let cursor: ProgressCursor = { focus: 1, turn: 1, ledger: 0 };
  return {
    get cursor() {
      return cursor;
    },
    take(progress) {
      const news = factsOf(progress).filter(({ key }) => !told.has(key));
      for (const { key } of news) told.add(key);
      cursor = nextCursor(progress, cursor);
      return news.map(({ event }) => event).toSorted((a, b) => a.atMs - b.atMs);
    },
  };
}

interface Fact {
  /** The identity of the fact, the same in every snapshot. */
  readonly key: string;
  readonly event: TimedEvent;
}

/** The order of facts with the same time. */
function factsOf(progress: Progress): Fact[] {
  const models = new Map(progress.foci.map((focus) => [focus.number, focus.model ?? '']));
  const { state, resolvedAtMs } = progress;
  return [
    ...progress.foci.flatMap(startOf),
    ...progress.turns.flatMap((turn) => turnFacts(turn, models.get(turn.focus) ?? '', progress.calls)),
    ...progress.calls.flatMap(callFacts),
    ...progress.ledger.map((entry): Fact => {
      const { seq, type: entryType, content, atMs } = entry;
      return { key: `ledger ${seq}`, event: { type: 'ledger', seq, entryType, content, atMs } };
    }),
    ...progress.mail.flatMap(mailFacts),
    ...progress.foci.flatMap(endOf),
    ...(isTerminal(state) && resolvedAtMs !== null
      ? [fact(`ended ${resolvedAtMs}`, { type: 'ended', state, reason: reasonOf(progress.error), atMs: resolvedAtMs })]
      : []),
  ];
}

function startOf({ id, number, resumes, startedAtMs }: FocusProgress): Fact[] {
  const started = (resumed: boolean): TimedEvent => ({
    type: 'focus_started',
    focusId: id,
    number,
    resumed,
    atMs: startedAtMs,
  });
  const first = fact(`focus ${number}`, started(false));
  // The time of the resumption is not recorded, only that it happened.
  return resumes > 0 ? [first, fact(`focus ${number} resumed ${resumes}`, started(true))] : [first];
}

function endOf({ id, number, endedAs, error, endedAtMs }: FocusProgress): Fact[] {
  if (endedAs === null || endedAtMs === null) return [];
  return [
    fact(`focus ${number} ended`, {
      type: 'focus_ended',
      focusId: id,
      endedAs,
      reason: reasonOf(error),
      atMs: endedAtMs,
    }),
  ];
}

function turnFacts(turn: TurnProgress, model: string, calls: readonly CallProgress[]): Fact[] {
  const { focus, turn: number, begunAtMs, recordedAtMs, answeredBy, text, inputTokens, outputTokens, estimated } = turn;
  const started = fact(`turn ${focus} ${number}`, { type: 'turn_started', turn: number, model, atMs: begunAtMs });
  if (recordedAtMs === null) return [started];
  const recorded = fact(`turn ${focus} ${number} recorded`, {
    type: 'turn_recorded',
    turn: number,
    model: answeredBy ?? '',
    text: (text ?? '').trim(),
    calls: calls.filter((call) => call.focus === focus && call.turn === number && call.parentCallId === null).length,
    inputTokens,
    outputTokens,
    ...(estimated === true && { estimated }),
    atMs: recordedAtMs,
  });
  return [started, recorded];
}

function callFacts(call: CallProgress): Fact[] {
  const { focus, turn, callId, name, startedAtMs, waitKind, waitAtMs, endedAtMs, parentCallId } = call;
  const fromCode = parentCallId !== null && { parentCallId };
  const key = `call ${focus} ${turn} ${callId}`;
  const facts: Fact[] = [];
  if (startedAtMs !== null) {
    facts.push(
      fact(key, { type: 'tool_started', turn, callId, name, input: call.input, atMs: startedAtMs, ...fromCode }),
    );
  }
  if (waitKind !== null && waitAtMs !== null) {
    const deadline = call.waitDeadline === null ? null : new Date(call.waitDeadline).toISOString();
    facts.push(
      fact(`wait of ${key}`, { type: 'waiting', turn, callId, name, kind: waitKind, deadline, atMs: waitAtMs }),
    );
  }
  if (endedAtMs !== null) {
    const { isError, output, durationMs } = call;
    const told = { turn, callId, name, isError, output: output ?? '', durationMs: durationMs ?? 0, atMs: endedAtMs };
    facts.push(fact(`${key} ended`, { type: 'tool_ended', ...told, ...fromCode }));
  }
  return facts;
}

function mailFacts({ id, author, text, wake, atMs, deliveredAtMs, turn }: MailProgress): Fact[] {
  const said = fact(`mail ${id}`, { type: 'message', messageId: id, author, text, wake, atMs });
  if (deliveredAtMs === null || turn === null) return [said];
  return [said, fact(`mail ${id} delivered`, { type: 'message_delivered', messageId: id, turn, atMs: deliveredAtMs })];
}

function fact(key: string, event: TimedEvent): Fact {
  return { key, event };
}

function reasonOf(error: unknown): string | null {
  const { message, reason } = (error ?? {}) as { readonly message?: unknown; readonly reason?: unknown };
  if (typeof message === 'string') return message;
  return typeof reason === 'string' ? reason : null;
}

/** The first turn that may still change: one of the newest focus that is not recorded or has a call that has not ended. */
function nextCursor({ foci, turns, calls, ledger }: Progress, from: ProgressCursor): ProgressCursor {
  const entries = ledger.at(-1)?.seq ?? from.ledger;
  const newest = foci.at(-1)?.number;
  if (newest === undefined) return { ...from, ledger: entries };
  const own = turns.filter((turn) => turn.focus === newest);
  const open = own.find(
    (turn) =>
      turn.recordedAtMs === null ||
      calls.some((call) => call.focus === newest && call.turn === turn.turn && call.endedAtMs === null),
  );
  const last = own.at(-1)?.turn ?? (newest === from.focus ? from.turn - 1 : 0);
  return { focus: newest, turn: open?.turn ?? last + 1, ledger: entries };
}
