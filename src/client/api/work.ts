// Written by `npm run client` from the OpenAPI document. Do not edit.

/** What the routes of this group take and answer. */

import type { List } from '../list.ts';
import type { CallOptions, EventOptions, RawOptions } from '../options.ts';
import type {
  ApprovalEvent,
  CallEvent,
  ClosedHint,
  DoneEvent,
  ErrorEvent,
  LedgerEvent,
  MessageEvent,
  ObservationEvent,
  OutputHint,
  PositionHint,
  StateEvent,
  StateHint,
  TextEvent,
  TextHint,
  ThoughtEvent,
  TurnEvent,
  Waiting,
  WaitingEvent,
  WithdrawnHint,
  WorkItem,
  WorkState,
} from './shared.ts';

export interface NewWork {
  readonly faculty: string;
  readonly description?: string | undefined;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly skill?: string | undefined;
  /** While an item of yours of the faculty with this key is active, this one merges into it. */
  readonly dedup_key?: string | undefined;
  /** Items with the same key run one after another. */
  readonly concurrency_key?: string | undefined;
  /** Higher runs first; default 0. */
  readonly priority?: number | undefined;
  /** Not before this time. */
  readonly run_at?: string | undefined;
  readonly parent_id?: string | undefined;
  /** Default http. */
  readonly source?: string | undefined;
  readonly trigger_info?: unknown;
  /** Ask its turns in batches; default: as its faculty says. */
  readonly batch?: boolean | undefined;
  /** Go on when the parent dies or is cancelled; default false. */
  readonly detached?: boolean | undefined;
  readonly attachments?:
    | readonly {
        readonly name: string;
        /** The bytes in base64; at most 10 MiB, and 20 MiB of all files. */
        readonly content: string;
      }[]
    | undefined;
}

export interface SubmittedWork {
  readonly id: string;
  readonly state: WorkState;
  readonly merged_into: string | null;
  /** What to look at, for people: such as a faculty that no running daemon serves. */
  readonly warning?: string | undefined;
  /** Why it does not go on now; null: it does, or has ended. */
  readonly waiting: Waiting | null;
  /** With `Prefer: wait=SECONDS`, if it ended in time: the item, as GET /work/{id} shows it. */
  readonly item?: WorkItem | undefined;
}

export type WorkEvent =
  | StateEvent
  | TurnEvent
  | ThoughtEvent
  | TextEvent
  | CallEvent
  | ObservationEvent
  | LedgerEvent
  | MessageEvent
  | WaitingEvent
  | ApprovalEvent
  | ErrorEvent
  | DoneEvent
  | TextHint
  | WithdrawnHint
  | OutputHint
  | StateHint
  | ClosedHint
  | MissedHint
  | PositionHint
  | SubmittedHint;

/** The reader was too slow: hints were left out. Recorded events follow without a gap. */
export interface MissedHint {
  readonly type: 'missed';
  readonly live: true;
  readonly work_item_id: string;
}

/** First, of a request that submits work and accepts an event stream. */
export interface SubmittedHint {
  readonly type: 'submitted';
  readonly live: true;
  /** What the request answers otherwise. */
  readonly work: Readonly<Record<string, unknown>>;
}

export type WorkSort = 'newest' | 'oldest' | 'ended' | 'cost' | 'duration' | 'priority';

export interface WorkSummary {
  readonly id: string;
  readonly faculty: string;
  readonly state: WorkState;
  readonly description: string;
  readonly priority: number;
  readonly attempts: number;
  readonly turns: number;
  /** Null: the cost of no call is known. */
  readonly cost_usd: number | null;
  /** Calls and lost requests whose cost is not known, which the sum does not include. */
  readonly unpriced_calls: number;
  /** Of the sum: answers whose tokens the provider did not count. */
  readonly estimated_usd: number;
  /** Of the sum: requests that returned nothing, and may have cost that. */
  readonly lost_usd: number;
  readonly parent_id: string | null;
  /** The item that does the same work; null also where that is work of somebody else. */
  readonly merged_into: string | null;
  readonly outcome_summary: string | null;
  readonly run_at: string | null;
  readonly created_at: string;
  readonly resolved_at: string | null;
  /** Why it does not go on now; null: it does, or has ended. */
  readonly waiting: Waiting | null;
}

export interface WorkCounts {
  /** The sum. */
  readonly items: number;
  /** There may be more: of some state, only the newest items were looked at. */
  readonly more: boolean;
  readonly states: readonly {
    readonly state: WorkState;
    readonly items: number;
    readonly more: boolean;
  }[];
}

export interface ChangedWork {
  /** Of a dry run: how many items match; otherwise null. */
  readonly matching:
    | readonly {
        readonly faculty: string;
        readonly state: WorkState;
        readonly items: number;
      }[]
    | null;
  readonly changed: readonly string[];
  /** Items that stay as they are, and why. */
  readonly left: readonly {
    readonly id: string;
    readonly reason: string;
  }[];
  /** `after` of the next request; null: no more items match. */
  readonly next: string | null;
}

export type StatesEvent = SnapshotHint | WorkStateHint | WorkDoneHint | ClosedHint;

/** The states of all work that you may see, first and after a new connection; `missed`: also after one that was too slow. */
export interface SnapshotHint {
  readonly type: 'snapshot';
  readonly live: true;
  readonly missed: boolean;
  readonly items: readonly WorkNow[];
}

export interface WorkNow {
  readonly work_item_id: string;
  readonly faculty: string;
  readonly state: WorkState;
  readonly description: string;
  readonly parent_id: string | null;
  readonly merged_into: string | null;
  readonly created_at: string;
  readonly resolved_at: string | null;
  /** Why it does not go on now; null: it does, or has ended. */
  readonly waiting: WaitingNow | null;
}

export interface WaitingNow {
  /** A word of docs/states.md. */
  readonly reason:
    | 'all_paused'
    | 'paused'
    | 'no_daemon'
    | 'unserved'
    | 'message'
    | 'key'
    | 'provider'
    | 'faulty'
    | 'alone'
    | 'capacity'
    | 'host'
    | 'next'
    | 'not_before'
    | 'retry'
    | 'released'
    | 'approval'
    | 'question'
    | 'budget'
    | 'children'
    | 'batch'
    | 'timer';
  /** For people, such as `writer is paused by olga`. */
  readonly why: string;
  /** What ends it, for people, such as `an operator resumes writer`, and what happens at `until` otherwise. */
  readonly ends: string;
  /** Who paused it, or `operator`, who decides; null: nobody. */
  readonly who: string | null;
  readonly since: string;
  readonly until: string | null;
  /** What goes first or is awaited, as far as you may see it; at most 20. */
  readonly work_items: readonly string[];
}

/** Another state, or another reason why it waits. */
export interface WorkStateHint {
  readonly type: 'state';
  readonly live: true;
  readonly work_item_id: string;
  readonly faculty: string;
  readonly state: WorkState;
  readonly description: string;
  readonly parent_id: string | null;
  readonly merged_into: string | null;
  readonly created_at: string;
  readonly resolved_at: string | null;
  /** Why it does not go on now; null: it does, or has ended. */
  readonly waiting: WaitingNow | null;
}

/** It ended. */
export interface WorkDoneHint {
  readonly type: 'done';
  readonly live: true;
  readonly work_item_id: string;
  readonly faculty: string;
  readonly state: WorkState;
  readonly description: string;
  readonly parent_id: string | null;
  readonly merged_into: string | null;
  readonly created_at: string;
  readonly resolved_at: string | null;
  /** Why it does not go on now; null: it does, or has ended. */
  readonly waiting: WaitingNow | null;
}

export interface ListWorkInput {
  /** Only those in one of these states. */
  readonly state?: readonly WorkState[] | undefined;
  /** Only those of one of these faculties. */
  readonly faculty?: readonly string[] | undefined;
  /** Only those of one of these, such as `person:olga`. */
  readonly submitted_by?: readonly string[] | undefined;
  /** Submitted since then. */
  readonly since?: string | undefined;
  /** Submitted before. */
  readonly until?: string | undefined;
  /** Ended since then. */
  readonly ended_since?: string | undefined;
  /** Ended before. */
  readonly ended_until?: string | undefined;
  /** Has cost at least this. */
  readonly min_cost_usd?: number | undefined;
  /** The code of its error, such as `llm.overloaded`. */
  readonly error?: string | undefined;
  /** An item, and all that is below it. */
  readonly root?: string | undefined;
  /** Only children of this item. */
  readonly parent?: string | undefined;
  /** Words, each by its beginning, all of which are in its description, outcome, error or ledger. */
  readonly q?: string | undefined;
  /** `ended`: the last end first; `cost`, `priority`, `duration` (of ended work): the highest first. */
  readonly sort?: WorkSort | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** At most this many. */
  readonly limit?: number | undefined;
}

export interface CountWorkInput {
  /** Only those in one of these states. */
  readonly state?: readonly WorkState[] | undefined;
  /** Only those of one of these faculties. */
  readonly faculty?: readonly string[] | undefined;
  /** Only those of one of these, such as `person:olga`. */
  readonly submitted_by?: readonly string[] | undefined;
  /** Submitted since then. */
  readonly since?: string | undefined;
  /** Submitted before. */
  readonly until?: string | undefined;
  /** Ended since then. */
  readonly ended_since?: string | undefined;
  /** Ended before. */
  readonly ended_until?: string | undefined;
  /** Has cost at least this. */
  readonly min_cost_usd?: number | undefined;
  /** The code of its error, such as `llm.overloaded`. */
  readonly error?: string | undefined;
  /** An item, and all that is below it. */
  readonly root?: string | undefined;
  /** Only children of this item. */
  readonly parent?: string | undefined;
  /** Words, each by its beginning, all of which are in its description, outcome, error or ledger. */
  readonly q?: string | undefined;
}

export interface ChangeWorkInput {
  /** Higher runs first. */
  readonly priority?: number | undefined;
  /** Not before this time; in the past: as soon as possible. */
  readonly run_at?: string | undefined;
  /** Only before its first focus. */
  readonly description?: string | undefined;
  /** As you have read it: if the item has changed since, it stays as it is (409). */
  readonly updated_at?: string | undefined;
}

export interface ChangeWorkOutput {
  readonly id: string;
  readonly state: WorkState;
  readonly updated_at: string;
}

export interface ListChildrenInput {
  /** Only those in this state. */
  readonly state?: WorkState | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** At most this many. */
  readonly limit?: number | undefined;
}

export interface CancelWorkInput {
  readonly reason?: string | undefined;
}

export interface CancelWorkOutput {
  readonly id: string;
  readonly state: WorkState;
}

export interface RetryWorkOutput {
  /** Another item, if one with the same dedup key is active. */
  readonly id: string;
}

export interface SayWorkInput {
  readonly text: string;
  /** An item that waits goes on at once; default false. */
  readonly wake?: boolean | undefined;
}

export interface SayWorkOutput {
  /** Of the item that got it: the one that it was merged into, if any. */
  readonly id: string;
  readonly message_id: string;
  readonly state: WorkState;
}

export interface CancelMatchingWorkInput {
  /** Default: all of these. */
  readonly state?: 'scheduled' | 'queued' | 'claimed' | 'running' | 'waiting' | undefined;
  readonly faculty?: string | undefined;
  /** Only what has ended since then or, if it is open, was submitted since. */
  readonly since?: string | undefined;
  /** Kept with items that are cancelled. */
  readonly reason?: string | undefined;
  /** Only count what matches. */
  readonly dry_run?: boolean | undefined;
  readonly after?: string | undefined;
  /** How many items one request tries. */
  readonly limit?: number | undefined;
}

export interface RetryMatchingWorkInput {
  /** Default: all of these. */
  readonly state?: 'dead' | 'cancelled' | undefined;
  readonly faculty?: string | undefined;
  /** Only what has ended since then or, if it is open, was submitted since. */
  readonly since?: string | undefined;
  /** Kept with items that are cancelled. */
  readonly reason?: string | undefined;
  /** Only count what matches. */
  readonly dry_run?: boolean | undefined;
  readonly after?: string | undefined;
  /** How many items one request tries. */
  readonly limit?: number | undefined;
}

/** The methods `client.work`. */
export interface WorkMethods {
  /**
   * Submit a work item. Needs a token of scope `work`.
   *
   * `POST /work`
   */
  submit(input: NewWork, options?: CallOptions): Promise<SubmittedWork>;
  /**
   * Work items that pass a filter, newest first or as `sort` says. Needs a token of scope `read`.
   *
   * `GET /work`
   */
  list(input?: ListWorkInput, options?: CallOptions): List<WorkSummary>;
  /**
   * How many work items pass a filter, by their state. Needs a token of scope `read`.
   *
   * `GET /work/counts`
   */
  count(input?: CountWorkInput, options?: CallOptions): Promise<WorkCounts>;
  /**
   * One work item. Needs a token of scope `read`.
   *
   * `GET /work/{id}`
   */
  show(id: string, options?: CallOptions): Promise<WorkItem>;
  /**
   * Change the priority, the time or the description of queued or scheduled work. Needs a token of scope `work`.
   *
   * `PATCH /work/{id}`
   */
  change(id: string, input?: ChangeWorkInput, options?: CallOptions): Promise<ChangeWorkOutput>;
  /**
   * The child work of an item, newest first. Needs a token of scope `read`.
   *
   * `GET /work/{id}/children`
   */
  listChildren(id: string, input?: ListChildrenInput, options?: CallOptions): List<WorkSummary>;
  /**
   * Cancel an item and its children. Needs a token of scope `work`.
   *
   * `POST /work/{id}/cancel`
   */
  cancel(id: string, input?: CancelWorkInput, options?: CallOptions): Promise<CancelWorkOutput>;
  /**
   * Queue a dead or cancelled item again; for operators. Needs a token of scope `decide`.
   *
   * `POST /work/{id}/retry`
   */
  retry(id: string, options?: CallOptions): Promise<RetryWorkOutput>;
  /**
   * Say something to an item; its model reads it before its next turn. Needs a token of scope `work`.
   *
   * `POST /work/{id}/messages`
   */
  say(id: string, input: SayWorkInput, options?: CallOptions): Promise<SayWorkOutput>;
  /**
   * Cancel the items that match, and their children: operators any, others their own. Needs a token of scope `work`.
   *
   * `POST /bulk/cancel`
   */
  cancelMatching(input?: CancelMatchingWorkInput, options?: CallOptions): Promise<ChangedWork>;
  /**
   * Queue the dead or cancelled items that match again; for operators. Needs a token of scope `decide`.
   *
   * `POST /bulk/retry`
   */
  retryMatching(input?: RetryMatchingWorkInput, options?: CallOptions): Promise<ChangedWork>;
  /**
   * Everything that happened and happens to a work item, as an event stream; Last-Event-ID resumes after an event. Needs a token of scope `read`.
   *
   * `GET /work/{id}/events`
   */
  events(id: string, options?: EventOptions): AsyncGenerator<WorkEvent, void>;
  /**
   * The bytes of `events`, to be passed on: an event stream, or 204 where nothing follows. Needs a token of scope `read`.
   *
   * `GET /work/{id}/events`
   */
  rawEvents(id: string, options?: RawOptions): Promise<Response>;
  /**
   * The states of all work that you may see, as an event stream: a snapshot, then changes. Needs a token of scope `read`.
   *
   * `GET /events`
   */
  states(options?: EventOptions): AsyncGenerator<StatesEvent, void>;
  /**
   * The bytes of `states`, to be passed on: an event stream, or 204 where nothing follows. Needs a token of scope `read`.
   *
   * `GET /events`
   */
  rawStates(options?: RawOptions): Promise<Response>;
}
