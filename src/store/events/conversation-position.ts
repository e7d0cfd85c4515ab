/**
 * The position of a reader in the events of a conversation: the newest mark that was read, and for each answer that has begun and whose end was
 * not read, the position in the events of its item. Marks have the order of the commits (functions/conversations/events.sql).
 */
import { z } from 'zod';
import {
  advance,
  BEGINNING,
  decodeCursor,
  encodeCursor,
  foreignCursor,
  isPast,
  POSITION,
  type Position,
  positionFields,
  type Step,
  tagOf,
} from './position.ts';
import { NO_NUMBERS, type RangeSet, readRanges, withNumber, writeRanges } from './range-set.ts';

export interface ConversationPosition {
  /** The newest mark that was read; 0: none. */
  readonly seq: number;
  /** By the mark that began the answer. */
  readonly open: ReadonlyMap<number, Position>;
}

/** A step that an event of a conversation is: a mark, or a step in the events of an answer. */
export type ConversationStep =
  /** `opens`: the mark begins an answer, whose events are read from there. `closes`: it ends the answer that this mark began. */
  | {
      readonly part: 'conversation';
      readonly seq: number;
      readonly opens: Position | null;
      readonly closes: number | null;
    }
  | { readonly part: 'answering'; readonly opened: number; readonly step: Step };

export const CONVERSATION_BEGINNING: ConversationPosition = { seq: 0, open: new Map() };

/** Whether the position contains the step. */
export function isPastInConversation({ seq, open }: ConversationPosition, step: ConversationStep): boolean {
  if (step.part === 'conversation') return step.seq <= seq;
  if (step.opened > seq) return false;
  const position = open.get(step.opened);
  return position === undefined || isPast(position, step.step);
}

/** The position with the step, which it does not contain yet. */
export function advanceInConversation(position: ConversationPosition, step: ConversationStep): ConversationPosition {
  const open = new Map(position.open);
  if (step.part === 'answering') {
    open.set(step.opened, advance(open.get(step.opened) ?? BEGINNING, step.step));
    return { ...position, open };
  }
  if (step.closes !== null) open.delete(step.closes);
  if (step.opens !== null) open.set(step.seq, step.opens);
  return { seq: step.seq, open };
}

/** The argument of `animus.read_conversation_events`. */
export function conversationPositionFields({ seq, open }: ConversationPosition): object {
  return { q: seq, o: Object.fromEntries([...open].map(([opened, position]) => [opened, positionFields(position)])) };
}

/** The position of such fields. */
export function conversationPositionOf(fields: {
  readonly q: number;
  readonly o: Readonly<Record<string, unknown>>;
}): ConversationPosition {
  return {
    seq: fields.q,
    open: new Map(Object.entries(fields.o).map(([opened, one]) => [Number(opened), POSITION.parse(one)])),
  };
}

/** The id of the event at whose end the position is. Many answers that wait have the same position: it is written once. */
export function writeConversationCursor(conversationId: string, { seq, open }: ConversationPosition): string {
  const groups = new Map<string, { readonly fields: object; set: RangeSet }>();
  for (const [opened, position] of [...open].toSorted(([a], [b]) => a - b)) {
    const fields = positionFields(position);
    const key = JSON.stringify(fields);
    const group = groups.get(key) ?? { fields, set: NO_NUMBERS };
    groups.set(key, { ...group, set: withNumber(group.set, opened) });
  }
  const answers = [...groups.values()].map(({ fields, set }) => [writeRanges(set), fields]);
  return encodeCursor({ q: seq, ...(answers.length > 0 && { o: answers }), w: tagOf(conversationId) });
}

const count = z.int().min(0).max(2_147_483_647);
const CURSOR = z.strictObject({
  q: count,
  o: z
    .array(z.tuple([z.string(), POSITION]))
    .max(1000)
    .default([]),
  w: z.string(),
});

/** The most answers that an id may name. */
const MAX_OPEN = 10_000;

/** The position that `writeConversationCursor` wrote for this conversation. Errors: `usage.invalid`, also for the id of another stream's event. */
export function readConversationCursor(conversationId: string, cursor: string): ConversationPosition {
  const read = CURSOR.safeParse(decodeCursor(cursor));
  if (!read.success || read.data.w !== tagOf(conversationId)) throw foreignCursor();
  const open: [number, Position][] = [];
  for (const [text, position] of read.data.o) {
    const set = readRanges(text);
    const size = set?.reduce((sum, [from, until]) => sum + until - from, 0) ?? 0;
    if (set === null || open.length + size > MAX_OPEN) throw foreignCursor();
    for (const [from, until] of set) for (let opened = from; opened < until; opened++) open.push([opened, position]);
  }
  // In the order in which they were begun, as in every other position: of two events of one moment the first is that of the earlier answer.
  return { seq: read.data.q, open: new Map(open.toSorted(([a], [b]) => a - b)) };
}
