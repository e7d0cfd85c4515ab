/** What `animus.read_events` returns: the rows of an item after a position, in one snapshot. Times are milliseconds since 1970. */
import type { Waiting } from '../../core/work/waiting.ts';
import type { WaitKind } from '../../core/work/words.ts';
import type { LedgerType, WorkState } from '../../core/work/work.ts';

/** Why an item waits, without what only some of its readers may see. */
export type WaitingFacts = Omit<Waiting<number>, 'work_items'>;

export interface ItemFacts {
  readonly id: string;
  readonly faculty: string;
  readonly description: string;
  readonly submittedBy: string | null;
  readonly parentId: string | null;
  readonly createdAt: number;
  readonly state: WorkState;
  readonly waiting: WaitingFacts | null;
  readonly mergedInto: string | null;
  readonly error: string | null;
  readonly summary: string | null;
  /** Of an item that has completed and whose last turns these are: the text that stays of it. */
  readonly said: { readonly text: string; readonly leftOut?: number | null } | null;
  readonly resolvedAt: number | null;
  readonly runAt: number | null;
  readonly costUsd: number | null;
  readonly unpricedCalls: number;
  readonly foci: readonly FocusFacts[];
  readonly turns: readonly TurnFacts[];
  readonly calls: readonly CallFacts[];
  readonly ledger: readonly {
    readonly seq: number;
    readonly type: LedgerType;
    readonly content: string;
    readonly at: number;
  }[];
  readonly messages: readonly {
    readonly id: number;
    readonly author: string;
    readonly authorIs: string;
    readonly text: string | null;
    readonly wake: boolean;
    readonly at: number;
  }[];
  readonly marks: readonly MarkFacts[];
  readonly decisions: readonly DecisionFacts[];
  readonly ends: readonly {
    readonly nth: number;
    readonly detail: {
      readonly state: WorkState;
      readonly error: string | null;
      readonly costUsd: number | null;
      readonly unpricedCalls?: number;
    };
    readonly at: number;
  }[];
  /** A part with this many rows may go on. */
  readonly limit: number;
}

export interface FocusFacts {
  readonly number: number;
  readonly id: string;
  readonly model: string | null;
  readonly at: number;
  readonly endedAs: string | null;
  readonly error: string | null;
  readonly endedAt: number | null;
  /** What the model had said of the answer that was under way at a cancel. */
  readonly cutOff: { readonly turn: number; readonly text: string; readonly leftOut?: number | null } | null;
}

/** An answer. */
export interface TurnFacts {
  readonly focus: number;
  readonly turn: number;
  readonly at: number;
  readonly model: string;
  readonly stopReason: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** True: the provider did not count the tokens. */
  readonly estimated?: boolean | null;
  readonly costUsd: number | null;
  readonly durationMs: number | null;
  readonly blocks: readonly {
    readonly type: 'text' | 'thinking';
    readonly text: string | null;
    readonly leftOut?: number | null;
  }[];
}

export interface CallFacts {
  readonly focus: number;
  readonly turn: number;
  readonly callId: string;
  readonly position: number;
  readonly parentCallId: string | null;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly finalInput: Readonly<Record<string, unknown>> | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly state: string;
  readonly isError: boolean;
  readonly output: string | null;
  readonly outputBytes: number | null;
  readonly durationMs: number | null;
}

export interface MarkFacts {
  readonly seq: number;
  readonly what: 'waiting' | 'resolved' | 'resumed' | 'delivered' | 'failed';
  readonly detail: {
    readonly call_id?: string | null;
    readonly ask_id?: string | null;
    readonly kind?: WaitKind;
    readonly subject?: string | null;
    readonly hash?: string | null;
    readonly request?: string | null;
    readonly deadline?: number | null;
    readonly result?: string | null;
    readonly focus?: number;
    readonly message?: number;
    readonly author?: string;
    readonly authorIs?: string;
    readonly text?: string | null;
    readonly turn?: number;
    readonly error?: string | null;
  };
  readonly at: number;
}

export interface DecisionFacts {
  readonly seq: number;
  readonly action: 'approve' | 'deny' | 'answer' | 'edit' | 'cancel' | 'retry';
  readonly askId: string | null;
  readonly callId: string | null;
  readonly note: string;
  readonly by: string;
  readonly at: number;
}
