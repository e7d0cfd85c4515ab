/** The events of a work item and of a conversation: one typed union for every reader (SSE, WebSocket, library). docs/events.md describes each type. */
import type { WaitKind } from '../../core/work/words.ts';
import type { LedgerType, WorkState } from '../../core/work/work.ts';

/** What happened, from the tables. Texts are bounded where it says so; the whole is in the tables. */
export type EventBody =
  | StateBody
  /**
   * A model answered; its thoughts, texts and calls follow. `model` is `provider/model`. Costs are USD. Tokens are those of the provider; `estimated`: it did
   * not count them.
   */
  | {
      readonly type: 'turn';
      readonly focus: number;
      readonly turn: number;
      readonly model: string;
      readonly stopReason: string | null;
      readonly inputTokens: number | null;
      readonly outputTokens: number | null;
      readonly estimated?: true;
      /** USD; null: not known. */
      readonly costUsd: number | null;
      readonly durationMs: number | null;
    }
  /** A block of an answer: its first 262,144 characters, and how many more it has (`leftOut`). */
  | {
      readonly type: 'thought';
      readonly focus: number;
      readonly turn: number;
      readonly text: string;
      readonly leftOut?: number;
    }
  /** The same. `cutOff`: what had been said when the work was cancelled; no `turn` comes before it. */
  | {
      readonly type: 'text';
      readonly focus: number;
      readonly turn: number;
      readonly text: string;
      readonly cutOff?: true;
      readonly leftOut?: number;
    }
  /** The model, or its code (then `parentCallId` names the call that runs it), asked for this call. An input above 16 KiB is `{cut: its beginning}`. */
  | {
      readonly type: 'call';
      readonly focus: number;
      readonly turn: number;
      readonly callId: string;
      readonly parentCallId: string | null;
      readonly name: string;
      readonly input: object;
    }
  /** A call ended. `input`: what it ran with, if a hook or a person changed it. `output`: its first 4,000 characters. */
  | {
      readonly type: 'observation';
      readonly focus: number;
      readonly turn: number;
      readonly callId: string;
      readonly parentCallId: string | null;
      readonly name: string;
      readonly input: object | null;
      readonly state: string;
      readonly isError: boolean;
      readonly output: string;
      readonly outputBytes: number;
      readonly durationMs: number | null;
    }
  | { readonly type: 'ledger'; readonly seq: number; readonly entryType: LedgerType; readonly content: string }
  /** Somebody said something to the work, or (`deliveredWith` is a turn) the model gets it with that turn; then `text` is null if it was in an earlier event. */
  | {
      readonly type: 'message';
      readonly messageId: number;
      readonly author: string;
      readonly authorIs: string;
      readonly text: string | null;
      readonly wake: boolean;
      readonly deliveredWith: number | null;
    }
  /** The work waits for something that is no person, or does not any more: then `result` says why. `deadline` is ISO 8601. */
  | {
      readonly type: 'waiting';
      readonly callId: string;
      readonly kind: WaitKind;
      readonly deadline: string | null;
      readonly result: string | null;
    }
  /** A person is asked (`status` is `asked`), has decided, or is not asked any more (`closed`). `hash` binds a decision to what was shown. */
  | {
      readonly type: 'approval';
      /** What a decision names; null of decisions from before version 0.3. */
      readonly askId: string | null;
      readonly callId: string | null;
      readonly status: 'asked' | 'approve' | 'deny' | 'answer' | 'edit' | 'closed';
      readonly subject: string | null;
      /** JSON, its first 4,000 characters. */
      readonly request: string | null;
      readonly hash: string | null;
      readonly deadline: string | null;
      readonly by: string | null;
      readonly note: string | null;
      readonly result: string | null;
    }
  /** An attempt failed or its daemon was lost. Unless `done` follows, the work goes on. */
  | { readonly type: 'error'; readonly focus: number | null; readonly endedAs: string; readonly message: string | null }
  /** The work ended. An operator may retry dead and cancelled work; then more follows. */
  | {
      readonly type: 'done';
      readonly state: WorkState;
      /** Of work that completed, what stays of its texts: the first 262,144 characters. Only in the item's own stream: in a conversation, it comes with `answered`. */
      readonly text?: string;
      readonly leftOut?: number;
      readonly summary: string | null;
      readonly error: string | null;
      readonly mergedInto: string | null;
      /** USD; null: the cost of no call is known. */
      readonly costUsd: number | null;
      /** Calls whose cost is not known; `costUsd` is without them. */
      readonly unpricedCalls: number;
    };

interface StateBody {
  readonly type: 'state';
  /** `queued`: submitted, or retried by an operator. `running`: a focus began or goes on. `cancelling`: a cancel was requested. */
  readonly state: WorkState | 'cancelling';
  readonly focus: number | null;
  readonly resumed: boolean;
  /** Who did it; null: the engine. */
  readonly by: string | null;
  readonly note: string | null;
}

/** A recorded event and its time, in milliseconds since 1970 with fractions. */
export type WorkEvent = EventBody & { readonly workItemId: string; readonly atMs: number };

/** What happened in a conversation itself. `by` is who did it. */
export type ConversationBody =
  /** A message: of a person, or an imported one. Its answer, if it gets one, has its own events, with the same item. `told`: it went into the answer of that item. */
  | ({ readonly type: 'said' } & ChatMessageFields)
  /** An answer ended, and stands in the conversation as a message. All events of the item, up to `done`, come before it. */
  | ({ readonly type: 'answered'; readonly endedAs: string } & ChatMessageFields)
  /** A message or an answer was deleted. Views leave it out; a reader that comes later does not get its text. */
  | { readonly type: 'deleted'; readonly messageId: string; readonly by: string | null }
  /** An operator retries an answer that failed or was cancelled: its item has more events, and another `answered`. `messageId` is the message of the person. */
  | { readonly type: 'retried'; readonly messageId: string; readonly by: string | null }
  /** Somebody takes part from now on, or does not any more. */
  | {
      readonly type: 'people';
      readonly actor: string;
      readonly joined: boolean;
      /** Null: they left, or it happened before there were roles. */
      readonly role: 'owner' | 'member' | null;
      readonly by: string | null;
    }
  /** The settings of the conversation were changed; these are the new ones. */
  | {
      readonly type: 'conversation';
      readonly faculty: string;
      readonly title: string;
      readonly whileAnswering: 'queue' | 'tell';
      readonly by: string | null;
    };

interface ChatMessageFields {
  readonly messageId: string;
  /** In its conversation, from 1 on: what people see. */
  readonly number: number;
  readonly role: 'user' | 'assistant' | 'system';
  readonly author: string;
  /** Its first 262,144 characters; null if it has been deleted since. */
  readonly text: string | null;
  /** How many characters come after those. */
  readonly leftOut?: number;
  /** When it was said, ISO 8601; of an imported message before the event. */
  readonly saidAt: string;
  /** The message of a person before it on its branch; of an answer, its message. */
  readonly after: string | null;
  /** The message that an edit or a retry stands for, or the earlier answer. Messages and answers after the replaced one are not shown any more. */
  readonly replaces: string | null;
  readonly told: boolean;
  readonly attachments: readonly {
    readonly id: string;
    readonly name: string;
    readonly media_type: string;
    readonly bytes: number;
  }[];
}

/** A recorded event of a conversation itself. `workItemId`: the item of the answer; null where there is none. */
export type ConversationEvent = ConversationBody & { readonly workItemId: string | null; readonly atMs: number };

/** What a stream consists of: that of a work item has only events of work, that of a conversation also those of its answers. */
export type AnyEvent = WorkEvent | ConversationEvent;
