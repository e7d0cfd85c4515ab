/** What `animus.read_conversation_events` returns, in one snapshot. Times are milliseconds since 1970. */
import type { WorkState } from '../../core/work/work.ts';
import type { ItemFacts, WaitingFacts } from './facts.ts';

export interface ConversationFacts {
  readonly id: string;
  /** The message up to which answers are hidden from the actor, who joined after it; `0`: none is. */
  readonly since: string;
  readonly marks: readonly ConversationMarkFacts[];
  /** There are marks after these. */
  readonly more: boolean;
  readonly segments: readonly SegmentFacts[];
}

export interface ConversationMarkFacts {
  readonly seq: number;
  readonly kind: 'said' | 'told' | 'answered' | 'retried' | 'deleted' | 'joined' | 'left' | 'changed';
  readonly messageId: string | null;
  readonly item: string | null;
  /** It begins an answer: `place` is where its events begin, null at the beginning of the item. */
  readonly opens: boolean;
  /** Of `answered`: the mark that began the answer. */
  readonly opened: number | null;
  readonly place: unknown;
  readonly detail: {
    readonly by?: string | null;
    readonly actor?: string;
    readonly role?: 'owner' | 'member';
    readonly faculty?: string;
    readonly title?: string;
    readonly while_answering?: 'queue' | 'tell';
  } | null;
  readonly at: number;
  readonly message: {
    readonly number: number;
    readonly role: 'user' | 'assistant' | 'system';
    readonly author: string;
    readonly text: string | null;
    readonly leftOut?: number | null;
    readonly saidAt: number;
    readonly after: string | null;
    readonly replaces: string | null;
    readonly endedAs: string | null;
    readonly attachments:
      | readonly { readonly id: string; readonly name: string; readonly media_type: string; readonly bytes: number }[]
      | null;
  } | null;
}

/** An answer: the events of its item from the mark that began it to its end. */
export interface SegmentFacts {
  /** The mark that began it. */
  readonly seq: number;
  readonly item: string;
  readonly state: WorkState | null;
  readonly waiting: WaitingFacts | null;
  /** The position at its end; null: it has not ended. */
  readonly until: unknown;
  /** It was deleted, or is older than the part that the actor takes: it has no events. */
  readonly hidden: boolean;
  /** Deleted messages that were told into it. */
  readonly hushed: readonly { readonly author: string; readonly at: number }[];
  /** Null: nothing new. */
  readonly facts: ItemFacts | null;
}
