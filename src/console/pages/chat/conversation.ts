/** A conversation as it is shown: the messages of its newest branch, in order, and the answers that are being given. */
import type { ChatEvent, ChatMessage } from '../../../client/client.ts';
import { type Answer, newAnswer, takeEvent } from './answer.ts';

/** Where a message is. */
export interface ChatPlace {
  readonly workspace: string;
  readonly chat: string;
  readonly faculty: string;
}

export interface Message {
  readonly id: string;
  readonly number: number;
  readonly role: 'user' | 'assistant' | 'system';
  readonly author: string;
  readonly text: string;
  readonly at: string;
  /** Of a message: what answers it; of an answer: what gave it. */
  readonly item: string | null;
  readonly told: boolean;
  /** The message that it replaces: there is another branch. */
  readonly replaces: string | null;
  readonly endedAs: string | null;
  readonly attachments: readonly Pick<
    NonNullable<ChatMessage['attachments']>[number],
    'id' | 'name' | 'media_type' | 'bytes'
  >[];
  /** How many characters come after the text. */
  readonly leftOut: number;
}

export interface Conversation {
  readonly messages: readonly Message[];
  /** By item, also of those that have ended since the page was opened. */
  readonly answers: ReadonlyMap<string, Answer>;
  /** What leads to older messages; null: these are all. */
  readonly older: string | null;
  /** The branch has changed before the first message that is known: read it again. */
  readonly isStale: boolean;
}

export const EMPTY: Conversation = { messages: [], answers: new Map(), older: null, isStale: false };

export function messageOf(message: ChatMessage): Message {
  return {
    id: message.id,
    number: message.number,
    role: message.role,
    author: message.author,
    text: message.content,
    at: message.created_at,
    item: message.work_item_id,
    told: message.told,
    replaces: message.replaces,
    endedAs: message.ended_as,
    attachments: message.attachments ?? [],
    leftOut: 0,
  };
}

/** The first page, the newest message first, in place of what is known. */
export function withNewest(now: Conversation, items: readonly ChatMessage[], older: string | null): Conversation {
  return { ...now, messages: items.map(messageOf).toReversed(), older, isStale: false };
}

/** A further page, of messages before those that are known. */
export function withOlder(now: Conversation, items: readonly ChatMessage[], older: string | null): Conversation {
  const known = new Set(now.messages.map(({ id }) => id));
  const added = items.map(messageOf).filter(({ id }) => !known.has(id));
  return { ...now, messages: [...added.toReversed(), ...now.messages], older };
}

/** What the event makes of it; the same object if nothing. */
export function takeChatEvent(now: Conversation, event: ChatEvent): Conversation {
  switch (event.type) {
    case 'said':
      return takeSaid(now, event);
    case 'answered':
      return takeAnswered(now, event);
    case 'deleted':
      return { ...now, messages: now.messages.filter(({ id }) => id !== event.message_id) };
    case 'retried':
      return takeRetried(now, event.work_item_id);
    default: {
      const item = 'work_item_id' in event ? event.work_item_id : null;
      if (item === null) return now;
      const before = now.answers.get(item) ?? newAnswer(item);
      const answer = takeEvent(before, event);
      return answer === before ? now : withAnswer(now, answer);
    }
  }
}

function withAnswer(now: Conversation, answer: Answer): Conversation {
  return { ...now, answers: new Map(now.answers).set(answer.item, answer) };
}

type Said = Extract<ChatEvent, { readonly type: 'said' | 'answered' }>;

export function saidMessage(event: Said): Message | null {
  if (event.text === null) return null;
  return {
    id: event.message_id,
    number: event.number,
    role: event.role,
    author: event.author,
    text: event.text,
    at: event.said_at,
    item: event.work_item_id,
    told: event.told,
    replaces: event.replaces,
    endedAs: event.type === 'answered' ? event.ended_as : null,
    attachments: event.attachments,
    leftOut: event.left_out ?? 0,
  };
}

function takeSaid(now: Conversation, event: Said): Conversation {
  const message = saidMessage(event);
  if (message === null || now.messages.some(({ id }) => id === message.id)) return now;
  if (message.replaces === null || message.role !== 'user') return { ...now, messages: [...now.messages, message] };
  // A new branch: what followed the message that it replaces is on the old one.
  const at = now.messages.findIndex(({ id }) => id === message.replaces);
  if (at < 0) return { ...now, isStale: true };
  return { ...now, messages: [...now.messages.slice(0, at), message] };
}

/** It stands after its message, and after what was told to it. */
function takeAnswered(now: Conversation, event: Said): Conversation {
  const message = saidMessage(event);
  const others = now.messages.filter(({ role, item }) => role !== 'assistant' || item !== event.work_item_id);
  if (message === null) return { ...now, messages: others };
  const at = others.findLastIndex(({ item }) => item === event.work_item_id);
  // Of another branch, or of a message that was deleted.
  if (at < 0) return now;
  return { ...now, messages: others.toSpliced(at + 1, 0, message) };
}

function takeRetried(now: Conversation, item: string | null): Conversation {
  if (item === null) return now;
  const messages = now.messages.filter((message) => message.role !== 'assistant' || message.item !== item);
  return withAnswer({ ...now, messages }, newAnswer(item));
}

/** What is shown, in order: messages, and after its message each answer that is being given. */
export type Entry = { readonly message: Message } | { readonly answer: Answer };

export function entriesOf({ messages, answers }: Conversation): readonly Entry[] {
  const answered = new Set(messages.flatMap(({ role, item }) => (role === 'assistant' && item !== null ? [item] : [])));
  const last = new Map(messages.flatMap(({ item }, at) => (item === null ? [] : [[item, at]])));
  return messages.flatMap((message, at): readonly Entry[] => {
    const answer = message.item === null ? undefined : answers.get(message.item);
    const isOpen = answer !== undefined && message.item !== null && !answered.has(message.item);
    return isOpen && last.get(message.item ?? '') === at ? [{ message }, { answer }] : [{ message }];
  });
}

/** Answers of this branch that have not ended, oldest first. */
export function openAnswers(now: Conversation): readonly Answer[] {
  return entriesOf(now).flatMap((entry) => ('answer' in entry && !entry.answer.isOver ? [entry.answer] : []));
}
