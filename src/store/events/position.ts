/**
 * The position of a reader in the events of one item: how far it has read each part of the tables. A part only grows, and every writer of it
 * holds the item's row lock, so a position that was passed is never filled later. The id of an event is the position after it.
 */
import { z } from 'zod';
import { AnimusError, usageError } from '../../core/errors/errors.ts';
import { parsedJson } from '../../core/text/json-values.ts';
import { hasNumber, NO_NUMBERS, type RangeSet, readRanges, withNumber, writeRanges } from './range-set.ts';

export interface Position {
  /** Whether the submission was read. */
  readonly created: boolean;
  /** Number of the newest focus whose beginning was read; 0: none. */
  readonly focus: number;
  /** Whether the end of that focus was read. */
  readonly focusEnded: boolean;
  /** The newest turn of that focus of whose answer something was read; 0: none. */
  readonly turn: number;
  /** How many events of that answer were read; null: all. */
  readonly answer: number | null;
  /** Positions of the model's calls of that turn whose end was read. */
  readonly ended: RangeSet;
  /** Calls of code, by the id of the call that runs it. */
  readonly code: ReadonlyMap<string, { readonly begun: RangeSet; readonly ended: RangeSet }>;
  /** Numbers of the newest ledger entry, message, mark and decision. */
  readonly ledger: number;
  readonly message: number;
  readonly mark: number;
  readonly decision: number;
  /** How many ends of the item were read. */
  readonly ends: number;
}

/** A step that an event is: what it adds to a position. */
export type Step =
  | { readonly part: 'created' }
  | { readonly part: 'focus' | 'focusEnd'; readonly focus: number }
  /** Event `index` of an answer with `of` events. */
  | {
      readonly part: 'answer';
      readonly focus: number;
      readonly turn: number;
      readonly index: number;
      readonly of: number;
    }
  | { readonly part: 'callEnd'; readonly focus: number; readonly turn: number; readonly position: number }
  | {
      readonly part: 'codeBegun' | 'codeEnded';
      readonly focus: number;
      readonly turn: number;
      readonly parent: string;
      readonly position: number;
    }
  | { readonly part: 'ledger' | 'message' | 'mark' | 'decision' | 'ends'; readonly number: number };

/** Whether the position contains the step. */
export function isPast(position: Position, step: Step): boolean {
  switch (step.part) {
    case 'created':
      return position.created;
    case 'focus':
      return step.focus <= position.focus;
    case 'focusEnd':
      return step.focus < position.focus || (step.focus === position.focus && position.focusEnded);
    case 'answer':
    case 'callEnd':
    case 'codeBegun':
    case 'codeEnded':
      return isPastInTurn(position, step);
    default:
      return step.number <= position[step.part];
  }
}

function isPastInTurn(position: Position, step: Extract<Step, { turn: number }>): boolean {
  const { focus, turn, answer } = position;
  if (step.focus !== focus) return step.focus < focus;
  if (step.turn !== turn) return step.turn < turn;
  if (step.part === 'answer') return answer === null || step.index < answer;
  if (step.part === 'callEnd') return hasNumber(position.ended, step.position);
  const code = position.code.get(step.parent);
  return hasNumber(code?.[step.part === 'codeBegun' ? 'begun' : 'ended'] ?? NO_NUMBERS, step.position);
}

/** The position with the step, which it does not contain yet. Steps of one part come in their order. */
export function advance(position: Position, step: Step): Position {
  switch (step.part) {
    case 'created':
      return { ...position, created: true };
    case 'focus':
      return { ...position, ...NEW_TURN, focus: step.focus, focusEnded: false, turn: 0 };
    case 'focusEnd':
      return { ...position, focusEnded: true };
    case 'answer': {
      const same = position.turn === step.turn ? position : { ...position, ...NEW_TURN, turn: step.turn };
      return { ...same, answer: step.index + 1 === step.of ? null : step.index + 1 };
    }
    case 'callEnd':
      return { ...position, ended: withNumber(position.ended, step.position) };
    case 'codeBegun':
    case 'codeEnded': {
      const key = step.part === 'codeBegun' ? 'begun' : 'ended';
      const before = position.code.get(step.parent) ?? { begun: NO_NUMBERS, ended: NO_NUMBERS };
      const after = { ...before, [key]: withNumber(before[key], step.position) };
      return { ...position, code: new Map(position.code).set(step.parent, after) };
    }
    default:
      return { ...position, [step.part]: step.number };
  }
}

const NEW_TURN = { answer: null, ended: NO_NUMBERS, code: new Map() } as const;

/** The argument of `animus.read_events`; without what is as at the beginning. */
export function positionFields(position: Position): Record<string, unknown> {
  const { created, focus, focusEnded, turn, answer, ended, code, ledger, message, mark, decision, ends } = position;
  const calls = [...code]
    // The same position has the same id, in whatever order it was reached.
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, sets]) => [id, [writeRanges(sets.begun), writeRanges(sets.ended)]]);
  return {
    ...(created && { c: 1 }),
    ...(focus > 0 && { f: focus }),
    ...(focusEnded && { z: 1 }),
    ...(turn > 0 && { t: turn }),
    ...(answer !== null && { i: answer }),
    ...(ended.length > 0 && { e: writeRanges(ended) }),
    ...(calls.length > 0 && { n: Object.fromEntries(calls) }),
    ...(ledger > 0 && { l: ledger }),
    ...(message > 0 && { m: message }),
    ...(mark > 0 && { k: mark }),
    ...(decision > 0 && { d: decision }),
    ...(ends > 0 && { x: ends }),
  };
}

/** The id of the event at whose end the position is: opaque, and only for this item. */
export function writeCursor(workItemId: string, position: Position): string {
  return encodeCursor({ ...positionFields(position), w: tagOf(workItemId) });
}

/** The SQL functions add one to it, as an int. */
const count = z.int().min(0).max(2_147_483_646);
/** The ids of messages are of 64 bits. */
const bigCount = z.int().min(0);
/** What a jsonb can hold. */
const callId = z.string().refine((text) => text.isWellFormed() && !text.includes('\0'));
const ranges = z.string().transform((text, context) => {
  const set = readRanges(text);
  if (set === null) context.addIssue('no ranges');
  return set ?? NO_NUMBERS;
});
const FIELDS = z.strictObject({
  c: z.literal(1).optional(),
  f: count.default(0),
  z: z.literal(1).optional(),
  t: count.default(0),
  i: count.nullable().default(null),
  e: ranges.default(NO_NUMBERS),
  n: z.record(callId, z.tuple([ranges, ranges])).default({}),
  l: count.default(0),
  m: bigCount.default(0),
  k: count.default(0),
  d: count.default(0),
  x: count.default(0),
});
/** The fields of a position, as `positionFields` makes them. */
export const POSITION = FIELDS.transform(positionOf);
/** Nothing was read. */
export const BEGINNING: Position = POSITION.parse({});
const CURSOR = FIELDS.extend({ w: z.string() });

/** The longest id that is read: an answer that has run thousands of calls of code out of order has one of a few kilobytes. */
const MAX_CURSOR_CHARS = 65_536;

/** The position that `writeCursor` wrote for this item. Errors: `usage.invalid`, also for the id of another item's event. */
export function readCursor(workItemId: string, cursor: string): Position {
  const fields = CURSOR.safeParse(decodeCursor(cursor));
  if (!fields.success || fields.data.w !== tagOf(workItemId)) throw foreignCursor();
  return positionOf(fields.data);
}

/** The error for an id that belongs to something else, or to nothing. */
export function foreignCursor(): AnimusError {
  return usageError('no event of this stream has this id; start without an id');
}

function positionOf({ c, f, z: end, t, i, e, n, l, m, k, d, x }: z.infer<typeof FIELDS>): Position {
  const code = new Map(Object.entries(n).map(([id, [begun, ended]]) => [id, { begun, ended }]));
  return {
    created: c === 1,
    focus: f,
    focusEnded: end === 1,
    turn: t,
    answer: i,
    ended: e,
    code,
    ledger: l,
    message: m,
    mark: k,
    decision: d,
    ends: x,
  };
}

/** An id of these fields. */
export function encodeCursor(fields: object): string {
  return Buffer.from(JSON.stringify(fields)).toString('base64url');
}

/** The fields of an id; null if it is none. */
export function decodeCursor(cursor: string): unknown {
  if (cursor.length > MAX_CURSOR_CHARS) return null;
  return parsedJson(Buffer.from(cursor, 'base64url').toString());
}

/** Ends each id: that of another item's event is refused. */
export function tagOf(id: string): string {
  return id.slice(-8);
}
