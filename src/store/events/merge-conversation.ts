/** One order for the marks of a conversation and the events of its answers, the same for every reader and from every position. */
import type { ConversationFacts, SegmentFacts } from './conversation-facts.ts';
import { conversationMarkEvent } from './conversation-mark-event.ts';
import type { ConversationPosition, ConversationStep } from './conversation-position.ts';
import type { AnyEvent } from './event.ts';
import type { ItemFacts } from './facts.ts';
import { mergeParts, orderOf } from './merge-parts.ts';
import type { Entry } from './part.ts';
import { BEGINNING, POSITION, type Position } from './position.ts';

export interface ConversationEntry {
  readonly step: ConversationStep;
  readonly event: AnyEvent;
}

/** An answer at hand: what is left of its events, as far as it was read. */
interface Answer {
  readonly item: string;
  readonly entries: readonly Entry[];
  next: number;
  /** It may go on after these. */
  readonly more: boolean;
}

/**
 * Always takes the earliest: the first mark that is left, or the first event of an answer. The mark at the end of an answer comes after all
 * events of this answer. Stops where something that was not read may come next. `more`: read on from the position after the last entry at once.
 */
export function mergeConversation(
  facts: ConversationFacts,
  position: ConversationPosition,
): { readonly entries: readonly ConversationEntry[]; readonly more: boolean } {
  const known = new Map(facts.segments.map((segment) => [segment.seq, segment]));
  const answers = new Map<number, Answer>();
  const open = (seq: number, from: Position) => answers.set(seq, answerOf(known.get(seq), from));
  for (const [seq, from] of position.open) open(seq, from);

  const entries: ConversationEntry[] = [];
  let next = 0;
  for (;;) {
    const mark = facts.marks[next];
    if (mark === undefined && facts.more) return { entries, more: true };
    let first: readonly [number, Answer] | null = null;
    for (const one of answers) {
      const entry = headOf(one[1]);
      // Its next event may be the earliest.
      if (entry === undefined && one[1].more) return { entries, more: entries.length > 0 };
      if (entry !== undefined && (first === null || orderOf(entry) < orderOf(headOf(first[1])!))) first = one;
    }
    if (mark !== undefined && (first === null || mark.at <= orderOf(headOf(first[1])!))) {
      const ended = mark.opened === null ? undefined : answers.get(mark.opened);
      if (ended !== undefined && headOf(ended) !== undefined) first = [mark.opened!, ended];
      else {
        const opens = mark.opens ? placeOf(mark.place) : null;
        entries.push({
          step: { part: 'conversation', seq: mark.seq, opens, closes: mark.opened },
          event: conversationMarkEvent(mark),
        });
        if (mark.opened !== null) answers.delete(mark.opened);
        if (opens !== null) open(mark.seq, opens);
        next++;
        continue;
      }
    }
    if (first === null) return { entries, more: false };
    const [opened, answer] = first;
    const { step, at, event } = answer.entries[answer.next++]!;
    entries.push({ step: { part: 'answering', opened, step }, event: { ...event, workItemId: answer.item, atMs: at } });
  }
}

function headOf({ entries, next }: Answer): Entry | undefined {
  return entries[next];
}

function answerOf(segment: SegmentFacts | undefined, from: Position): Answer {
  const { facts = null, item = '', until = null, hidden = true } = segment ?? {};
  if (facts === null || hidden) return { item, entries: [], next: 0, more: false };
  // The text that stays comes with the message.
  const shown = { ...withoutHushed(facts, segment!.hushed), said: null };
  const merged = mergeParts(shown, from, until === null ? null : POSITION.parse(until));
  return { item, next: 0, ...merged };
}

function placeOf(place: unknown): Position {
  return place === null ? BEGINNING : POSITION.parse(place);
}

/** A message that was told into an answer and deleted since stays as an event, without its text. */
function withoutHushed(facts: ItemFacts, hushed: SegmentFacts['hushed']): ItemFacts {
  if (hushed.length === 0) return facts;
  const isHushed = (message: { readonly author: string; readonly at: number }) =>
    hushed.some(({ author, at }) => author === message.author && at === message.at);
  return {
    ...facts,
    messages: facts.messages.map((message) => (isHushed(message) ? { ...message, text: null } : message)),
  };
}
