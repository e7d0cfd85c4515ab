/**
 * The events of a focus, as one typed union: emitted live in the daemon (the demo, tests), and rebuilt from the tables
 * for all other readers (replay.ts, `work tail`), with the texts of answers as they arrive (live-text.ts).
 */
import type { Phase, WaitKind } from '../../core/work/words.ts';
import type { LedgerType, WorkState } from '../../core/work/work.ts';

export type FocusEvent = { readonly workItemId: string; readonly faculty: string } & FocusEventBody;

export type FocusEventBody =
  | { readonly type: 'focus_started'; readonly focusId: string; readonly number: number; readonly resumed: boolean }
  | { readonly type: 'phase'; readonly phase: Phase }
  /** `model` is the first one that is called; a fallback may answer. */
  | { readonly type: 'turn_started'; readonly turn: number; readonly model: string }
  /** A piece of the answer. `restart`: earlier pieces of this turn are void, and it starts again. `turn_recorded` has the whole answer. */
  | { readonly type: 'text'; readonly turn: number; readonly text: string }
  | { readonly type: 'restart'; readonly turn: number }
  | {
      readonly type: 'turn_recorded';
      readonly turn: number;
      /** The model that answered: `provider/model`, by the provider's own name. */
      readonly model: string;
      readonly text: string;
      readonly calls: number;
      readonly inputTokens: number | null;
      readonly outputTokens: number | null;
      /** There if the provider did not count the tokens. */
      readonly estimated?: true;
    }
  | {
      readonly type: 'tool_started';
      readonly turn: number;
      readonly callId: string;
      readonly name: string;
      readonly input: object;
      /** The call whose code made this one; left out for a call of the model. */
      readonly parentCallId?: string;
    }
  | {
      readonly type: 'tool_ended';
      readonly turn: number;
      readonly callId: string;
      readonly name: string;
      readonly isError: boolean;
      readonly output: string;
      readonly durationMs: number;
      readonly parentCallId?: string;
    }
  /** What the code of a call prints, as it comes; the result of the call has it, too. */
  | {
      readonly type: 'output';
      readonly turn: number;
      readonly callId: string;
      readonly stream: 'stdout' | 'stderr';
      readonly text: string;
    }
  /** A call waits. The focus is parked when every other call of its turn has ended; `deadline` is ISO 8601. */
  | {
      readonly type: 'waiting';
      readonly turn: number;
      readonly callId: string;
      readonly name: string;
      readonly kind: WaitKind;
      readonly deadline: string | null;
    }
  | { readonly type: 'ledger'; readonly seq: number; readonly entryType: LedgerType; readonly content: string }
  /** Only from the tables: somebody said something to the work; `wake`: and it shall not wait. The first 4,000 characters. */
  | {
      readonly type: 'message';
      readonly messageId: number;
      readonly author: string;
      readonly text: string;
      readonly wake: boolean;
    }
  /** Only from the tables: the message is in the request of this turn. */
  | { readonly type: 'message_delivered'; readonly messageId: number; readonly turn: number }
  /** Only from the tables: a focus is over; the item may continue. `endedAs`: completed, failed, cancelled or lost. */
  | {
      readonly type: 'focus_ended';
      readonly focusId: string;
      readonly endedAs: string;
      readonly reason: string | null;
    }
  | { readonly type: 'ended'; readonly state: WorkState; readonly reason: string | null };

/** Receives events; must not throw and is not awaited. */
export type FocusListener = (event: FocusEventBody) => void;
