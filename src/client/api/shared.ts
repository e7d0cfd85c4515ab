// Written by `npm run client` from the OpenAPI document. Do not edit.

/** Types that routes of several groups use. */
export type WorkState =
  | 'scheduled'
  | 'queued'
  | 'claimed'
  | 'running'
  | 'waiting'
  | 'completed'
  | 'dead'
  | 'merged'
  | 'cancelled';

export interface Waiting {
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
  /** When it ends by itself at the latest; null: never, or nobody knows. */
  readonly until: string | null;
  /** What goes first or is awaited, as far as you may see it; at most 20. */
  readonly work_items: readonly string[];
}

export interface WorkItem {
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
  readonly skill: string | null;
  readonly params: Readonly<Record<string, unknown>>;
  readonly dedup_key: string | null;
  readonly concurrency_key: string | null;
  readonly source: string;
  readonly trigger_info: unknown;
  readonly cancel_requested_at: string | null;
  readonly outcome: unknown;
  readonly error: unknown;
  /** Null: those of no call were counted. */
  readonly input_tokens: number | null;
  /** Null: those of no call were counted. */
  readonly output_tokens: number | null;
  /** Calls whose tokens nobody counted, which the sums do not include. */
  readonly uncounted_calls: number;
  readonly updated_at: string;
  readonly root_id: string;
  readonly depth: number;
  readonly max_attempts: number | null;
  readonly cancel_reason: string | null;
  readonly submitted_by: string | null;
  /** Null: as its faculty says. */
  readonly batch: boolean | null;
  /** It goes on when its parent dies or is cancelled. */
  readonly detached: boolean;
}

/** The work was submitted or retried (`queued`), a focus began or was resumed (`running`), a cancel was requested (`cancelling`). */
export interface StateEvent {
  readonly type: 'state';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string;
  readonly state:
    | 'scheduled'
    | 'queued'
    | 'claimed'
    | 'running'
    | 'waiting'
    | 'completed'
    | 'dead'
    | 'merged'
    | 'cancelled'
    | 'cancelling';
  /** Its number. */
  readonly focus: number | null;
  readonly resumed: boolean;
  /** Who did it; null: the engine. */
  readonly by: string | null;
  readonly note: string | null;
}

/** The model answered; the parts of the answer follow. */
export interface TurnEvent {
  readonly type: 'turn';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string;
  readonly focus: number;
  readonly turn: number;
  /** Provider/model. */
  readonly model: string;
  readonly stop_reason: string | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  /** The provider did not count the tokens; otherwise left out. */
  readonly estimated?: true | undefined;
  /** Null: not known. */
  readonly cost_usd: number | null;
  readonly duration_ms: number | null;
}

/** What the model thinks, as a part of the answer. */
export interface ThoughtEvent {
  readonly type: 'thought';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string;
  readonly focus: number;
  readonly turn: number;
  /** The first 262,144 characters. */
  readonly text: string;
  /** How many characters come after these; only where some do. */
  readonly left_out?: number | undefined;
}

/** What the model says, as a part of the answer. */
export interface TextEvent {
  readonly type: 'text';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string;
  readonly focus: number;
  readonly turn: number;
  /** The first 262,144 characters. */
  readonly text: string;
  /** What had been said when the work was cancelled: it has no `turn` before it, and replaces the pieces of that turn. */
  readonly cut_off?: true | undefined;
  /** How many characters come after these; only where some do. */
  readonly left_out?: number | undefined;
}

/** The model asks for a tool call, or its code makes one. */
export interface CallEvent {
  readonly type: 'call';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string;
  readonly focus: number;
  readonly turn: number;
  readonly call_id: string;
  /** The call whose code made it. */
  readonly parent_call_id: string | null;
  readonly name: string;
  /** Above 16 KiB `{"cut": …}` with its beginning. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** A call ended. */
export interface ObservationEvent {
  readonly type: 'observation';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string;
  readonly focus: number;
  readonly turn: number;
  readonly call_id: string;
  /** The call whose code made it. */
  readonly parent_call_id: string | null;
  readonly name: string;
  /** What it ran with, if a hook or a person changed it. */
  readonly input: Readonly<Record<string, unknown>> | null;
  readonly state: string;
  readonly is_error: boolean;
  /** The first 4,000 characters. */
  readonly output: string;
  readonly output_bytes: number;
  readonly duration_ms: number | null;
}

/** An entry was written. */
export interface LedgerEvent {
  readonly type: 'ledger';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string;
  readonly seq: number;
  readonly entry_type: 'plan' | 'finding' | 'decision' | 'step' | 'error' | 'note';
  readonly content: string;
}

/** Somebody said something to the work, or it was delivered. */
export interface MessageEvent {
  readonly type: 'message';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string;
  readonly message_id: number;
  readonly author: string;
  readonly author_is: string;
  /** Null: in an earlier event. */
  readonly text: string | null;
  readonly wake: boolean;
  /** The turn that begins with it; null: not yet. */
  readonly delivered_with: number | null;
}

/** A call waits for time, for child work or for a batch, or no longer does. */
export interface WaitingEvent {
  readonly type: 'waiting';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string;
  readonly call_id: string;
  readonly kind: 'children' | 'approval' | 'timer' | 'human' | 'batch';
  readonly deadline: string | null;
  /** Why it is over; null: it begins. */
  readonly result: string | null;
}

/** A person was asked (`asked`) or has decided (`approve`, `deny`, `answer`, `edit`), or the question was withdrawn (`closed`). */
export interface ApprovalEvent {
  readonly type: 'approval';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string;
  /** What a decision names; null of decisions from before version 0.3. */
  readonly ask_id: string | null;
  readonly call_id: string | null;
  readonly status: 'asked' | 'approve' | 'deny' | 'answer' | 'edit' | 'closed';
  readonly subject: string | null;
  /** JSON, the first 4,000 characters. */
  readonly request: string | null;
  /** Binds a decision to this request. */
  readonly hash: string | null;
  readonly deadline: string | null;
  readonly by: string | null;
  readonly note: string | null;
  readonly result: string | null;
}

/** An attempt failed, or its daemon was lost. Unless `done` follows, the work goes on. */
export interface ErrorEvent {
  readonly type: 'error';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string;
  readonly focus: number | null;
  readonly ended_as: string;
  readonly message: string | null;
}

/** The work ended. An operator can retry dead and cancelled work; then more follows. */
export interface DoneEvent {
  readonly type: 'done';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string;
  readonly state: WorkState;
  /** Of work that completed, what is kept of its texts: the first 262,144 characters; not in the stream of a conversation, where it comes with `answered`. */
  readonly text?: string | undefined;
  /** How many characters come after these; only where some do. */
  readonly left_out?: number | undefined;
  readonly summary: string | null;
  readonly error: string | null;
  /** Null also where the reader may not see that item. */
  readonly merged_into: string | null;
  /** Null: the cost of no call is known. */
  readonly cost_usd: number | null;
  /** Calls whose cost is not known, which the sum does not include. */
  readonly unpriced_calls: number;
}

/** A piece of an answer as it arrives. */
export interface TextHint {
  readonly type: 'text';
  readonly live: true;
  readonly work_item_id: string;
  readonly focus: number;
  readonly turn: number;
  /** How many characters of the answer come before it; 0 starts it, perhaps again. */
  readonly from: number;
  readonly text: string;
}

/** The pieces of the `text` of this turn are void: its attempt was lost or failed, or the answer begins again (another try, a fallback to another model). */
export interface WithdrawnHint {
  readonly type: 'withdrawn';
  readonly live: true;
  readonly work_item_id: string;
  readonly focus: number;
  readonly turn: number;
}

/** What the code of a call prints, as it comes. */
export interface OutputHint {
  readonly type: 'observation';
  readonly live: true;
  readonly work_item_id: string;
  readonly focus: number;
  readonly turn: number;
  readonly call_id: string;
  readonly stream: 'stdout' | 'stderr';
  /** How many characters of the stream come before it; more than were sent: some were left out. */
  readonly from: number;
  readonly text: string;
}

/** Where the item is now, also `claimed`, `scheduled` or `waiting`; not how it ended, which `done` says. */
export interface StateHint {
  readonly type: 'state';
  readonly live: true;
  readonly work_item_id: string;
  readonly state: WorkState;
  /** Why it does not go on now; null: it does. It comes again when that changes. */
  readonly waiting: WaitingHint | null;
}

export interface WaitingHint {
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
}

/** The server ends the stream early: an error such as `http.unauthorized` after the token was revoked, or `work.not_found` after one was removed from a conversation. */
export interface ClosedHint {
  readonly type: 'closed';
  readonly live: true;
  readonly code: ErrorCode;
}

/** A code of docs/errors.md. Branch on it, never on texts; a later version of the server may send others. */
export type ErrorCode =
  | 'internal.bug'
  | 'usage.invalid'
  | 'faculty.exists'
  | 'faculty.unknown'
  | 'skill.unknown'
  | 'skill.invalid'
  | 'skill.changed'
  | 'skill.exists'
  | 'skill.source'
  | 'http.no_database'
  | 'http.forbidden'
  | 'work.lease_lost'
  | 'work.locked'
  | 'work.state'
  | 'work.not_found'
  | 'work.ambiguous_id'
  | 'work.invalid'
  | 'work.cancelled'
  | 'work.budget'
  | 'work.provider_changed'
  | 'schedule.not_found'
  | 'schedule.exists'
  | 'schedule.invalid'
  | 'http.unavailable'
  | 'http.unanswered'
  | 'http.starting'
  | 'http.unauthorized'
  | 'http.host'
  | 'http.origin'
  | 'http.csrf'
  | 'http.not_found'
  | 'http.method'
  | 'http.invalid'
  | 'http.media_type'
  | 'http.too_large'
  | 'http.too_many'
  | 'http.too_many_streams'
  | 'http.key_reused'
  | 'http.issuer'
  | 'http.no_sandbox'
  | 'http.no_console'
  | 'http.no_webhook_key'
  | 'sandbox.image_missing'
  | 'sandbox.no_space'
  | 'sandbox.network'
  | 'sandbox.refused'
  | 'worktree.elsewhere'
  | 'worktree.other_repository'
  | 'worktree.none'
  | 'worktree.refused'
  | 'worktree.conflict'
  | 'files.displaced';

/** Where the reader is, after `after=now`. The only hint with an id. */
export interface PositionHint {
  readonly type: 'position';
  readonly live: true;
  /** A reader goes on after it. */
  readonly id: string;
}

export interface Problem {
  /** `urn:animus:error:` and the code. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  /** The same request may succeed later. */
  readonly retryable: boolean;
}
