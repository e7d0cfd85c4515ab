// Written by `npm run client` from the OpenAPI document. Do not edit.

import type { List } from './list.ts';
/** The types of the API: what its routes take and answer. */
import type { CallOptions, EventOptions } from './options.ts';

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
  /** With `Prefer: wait=SECONDS`, if it ended in time: the item, as GET /work/{id} shows it. */
  readonly item?: WorkItem | undefined;
}

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

export interface WorkItem {
  readonly id: string;
  readonly faculty: string;
  readonly state: WorkState;
  readonly description: string;
  readonly priority: number;
  readonly attempts: number;
  readonly turns: number;
  readonly cost_usd: number;
  readonly parent_id: string | null;
  /** The active item that does the same work. */
  readonly merged_into: string | null;
  readonly outcome_summary: string | null;
  readonly run_at: string | null;
  readonly created_at: string;
  readonly resolved_at: string | null;
  readonly skill: string | null;
  readonly params: Readonly<Record<string, unknown>>;
  readonly dedup_key: string | null;
  readonly concurrency_key: string | null;
  readonly source: string;
  readonly trigger_info: unknown;
  readonly cancel_requested_at: string | null;
  readonly outcome: unknown;
  readonly error: unknown;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly updated_at: string;
  readonly root_id: string;
  readonly depth: number;
  readonly max_attempts: number | null;
  readonly cancel_reason: string | null;
  readonly submitted_by: string | null;
  /** Null: as its faculty says. */
  readonly batch: boolean | null;
}

export interface WorkSummary {
  readonly id: string;
  readonly faculty: string;
  readonly state: WorkState;
  readonly description: string;
  readonly priority: number;
  readonly attempts: number;
  readonly turns: number;
  readonly cost_usd: number;
  readonly parent_id: string | null;
  /** The active item that does the same work. */
  readonly merged_into: string | null;
  readonly outcome_summary: string | null;
  readonly run_at: string | null;
  readonly created_at: string;
  readonly resolved_at: string | null;
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

export interface NewExecution {
  /** Python 3; return at the top level ends it with a value. */
  readonly code?: string | undefined;
  /** A command line for sh, or a program with its arguments. */
  readonly command?: string | readonly string[] | undefined;
  /** Time-out in seconds, at most that of the faculty, which is the default. */
  readonly timeout_seconds?: number | undefined;
  /** One whose mode is code. */
  readonly faculty?: string | undefined;
  /** Default: what is run. */
  readonly description?: string | undefined;
  /** Items with the same key run one after another. */
  readonly concurrency_key?: string | undefined;
  /** Higher runs first; default 0. */
  readonly priority?: number | undefined;
}

export interface Execution {
  /** The work item. */
  readonly id: string;
  readonly state: WorkState;
  /** The path of its events. */
  readonly events: string;
  /** With `Prefer: wait=SECONDS`, if it ended in time: the item, as GET /work/{id} shows it. */
  readonly item?: WorkItem | undefined;
}

export interface LedgerEntry {
  readonly seq: number;
  readonly type: 'plan' | 'finding' | 'decision' | 'step' | 'error' | 'note';
  readonly content: string;
  /** Null: a person wrote it. */
  readonly focus_id: string | null;
  readonly created_at: string;
}

export interface Focus {
  readonly id: string;
  readonly number: number;
  readonly phase: string;
  readonly resumes: number;
  readonly ended_as: string | null;
  readonly error: unknown;
  readonly started_at: string;
  readonly ended_at: string | null;
}

export interface Turn {
  readonly focus_id: string;
  readonly turn: number;
  readonly provider: string | null;
  readonly model: string | null;
  /** The content blocks of the answer; null while the model is being asked. */
  readonly response: unknown;
  readonly stop_reason: string | null;
  /** Tokens, as the provider counts them. */
  readonly usage: unknown;
  readonly cost_usd: number;
  readonly begun_at: string;
  readonly recorded_at: string | null;
  readonly duration_ms: number | null;
}

export interface ToolCall {
  readonly focus_id: string;
  readonly turn: number;
  readonly position: number;
  readonly call_id: string;
  /** The call whose code made this one. */
  readonly parent_call_id: string | null;
  readonly name: string;
  readonly origin: string;
  readonly state: string;
  /** As the model wrote it. */
  readonly input: unknown;
  /** What it ran with instead; null: its input. */
  readonly final_input: unknown;
  readonly output: string | null;
  readonly output_bytes: number | null;
  readonly is_error: boolean | null;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly duration_ms: number | null;
}

export interface Mail {
  readonly id: string;
  readonly author: string;
  readonly author_is: 'operator' | 'submitter' | 'participant' | 'duplicate';
  readonly text: string;
  readonly wake: boolean;
  /** The item that was merged, of a duplicate. */
  readonly duplicate_id: string | null;
  readonly created_at: string;
  readonly delivered_at: string | null;
  readonly focus_id: string | null;
  /** The turn with which the model got it. */
  readonly turn: number | null;
  /** Why it was not delivered. */
  readonly not_delivered: string | null;
}

export interface ContextMessage {
  readonly focus_id: string;
  readonly seq: number;
  readonly after_turn: number;
  readonly kind: string;
  readonly content: string;
  readonly tokens: number | null;
  readonly created_at: string;
}

export interface Wait {
  readonly call_id: string;
  readonly kind: string;
  /** Of what a person decides. */
  readonly subject: string | null;
  /** The child items that are waited for. */
  readonly targets: readonly string[] | null;
  readonly deadline: string | null;
  readonly created_at: string;
}

export interface SkillActivation {
  readonly skill: string;
  readonly version: string | null;
  readonly content_hash: string;
  readonly reason: string;
  readonly focus_id: string | null;
  readonly activated_at: string;
}

export interface BudgetLeft {
  readonly scope: string;
  readonly subject: string;
  readonly unit: 'usd' | 'tokens';
  readonly period: 'none' | 'day' | 'month';
  /** When the period is over. */
  readonly ends: string | null;
  readonly amount: number;
  /** With what is held for turns under way. */
  readonly used: number;
  readonly left: number;
  readonly on_exceeded: 'wait' | 'die';
}

export interface Approval {
  readonly work_item_id: string | null;
  readonly faculty: string;
  /** The name of the call or wait; `skill:NAME` for a proposed skill. */
  readonly call_id: string;
  readonly kind: string;
  readonly subject: string;
  /** Exactly what is to be decided, made from what is recorded. */
  readonly request: Readonly<Record<string, unknown>>;
  /** Binds a decision to this request. */
  readonly hash: string;
  readonly asked_at: string;
  readonly deadline: string | null;
  readonly turn: number | null;
  readonly submitted_by: string | null;
  readonly description: string;
}

export interface Grant {
  readonly id: string;
  readonly scope: 'item' | 'faculty';
  readonly work_item_id: string | null;
  readonly faculty: string;
  readonly tool: string;
  /** Of inputs; null: for one exact input, which has the hash. */
  readonly pattern: string | null;
  readonly hash: string | null;
  readonly note: string;
  readonly granted_by: string;
  readonly created_at: string;
  readonly expires_at: string;
}

export interface Artifact {
  readonly id: string;
  readonly name: string;
  readonly media_type: string;
  readonly bytes: number;
  readonly created_at: string;
}

export interface Status {
  readonly at: string;
  readonly count_cap: number;
  /** States whose count is a lower bound. */
  readonly capped: readonly WorkState[];
  /** Ended work of the last 24 hours; dead work for as long as it is there. */
  readonly states: Readonly<Record<WorkState, number>>;
  readonly queue: readonly {
    readonly faculty: string;
    readonly queued: number;
    /** `queued` is a lower bound. */
    readonly capped: boolean;
    readonly oldest_at: string | null;
    /** A live daemon serves it. */
    readonly routable: boolean;
  }[];
  readonly foci: readonly {
    readonly work_item_id: string;
    /** Null: not yet begun. */
    readonly focus_id: string | null;
    readonly faculty: string;
    readonly description: string;
    readonly phase: string | null;
    readonly state: 'claimed' | 'running';
    readonly turn: number | null;
    readonly started_at: string | null;
    readonly host: string | null;
    readonly daemon_id: string | null;
    readonly plan: string | null;
    readonly cost_usd: number;
  }[];
  readonly daemons: readonly {
    readonly id: string;
    readonly host: string;
    readonly pid: number;
    readonly version: string;
    readonly max_concurrent: number;
    readonly saturated: boolean;
    readonly faculties: readonly string[];
    readonly problems: readonly unknown[];
    readonly started_at: string;
    readonly seen_at: string;
    readonly stopped_at: string | null;
    /** Seen within the last two minutes. */
    readonly alive: boolean;
  }[];
  /** The last ten that died. */
  readonly dead_letters: readonly {
    readonly work_item_id: string;
    readonly faculty: string;
    readonly description: string;
    readonly attempts: number;
    readonly resolved_at: string;
    readonly reason: string;
  }[];
  /** Old rows that retention cannot remove, because another table refers to them. */
  readonly kept: {
    readonly rows: number;
    readonly examples: readonly {
      readonly table: string;
      readonly id: string;
      readonly referenced_by: string;
    }[];
  };
  readonly pauses: readonly {
    /** `*`: all. */
    readonly faculty: string;
    readonly reason: string;
    readonly paused_by: string;
    readonly until: string | null;
    readonly created_at: string;
  }[];
  readonly spend_today: readonly {
    readonly faculty: string;
    readonly model: string;
    readonly usd: number;
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly calls: number;
    /** Runs of code without a model, which are no calls. */
    readonly code_runs: number;
  }[];
  readonly memory: {
    readonly vector: boolean;
    readonly reason?: string | null | undefined;
  } | null;
  /** Null: no daemon has run with a model for them. */
  readonly embeddings: {
    readonly model: string;
    readonly dimensions: number;
    /** Memories without an embedding of this model. */
    readonly missing: number;
    readonly problem: string | null;
    readonly resume_at: string | null;
  } | null;
  /** How many skills no work has used for so many days. */
  readonly stale_skills?:
    | {
        readonly count: number;
        readonly days: number;
      }
    | undefined;
  /** Numbers of deliveries stop at 1,000. */
  readonly webhooks: {
    /** Deliveries that failed for good. */
    readonly dead: number;
    /** Deliveries that no daemon sends. */
    readonly late: number;
    /** Webhooks whose new deliveries become dead letters, because too many wait. */
    readonly full: number;
    /** Webhooks of which events are lost, because too many wait. */
    readonly dropping: number;
  };
  readonly inbox: {
    readonly waiting: number;
    readonly oldest_at: string | null;
    /** Messages that could not be read. */
    readonly dead: number;
    readonly last_dead_reason: string | null;
  };
  readonly schedules: readonly {
    readonly name: string;
    readonly faculty: string;
    readonly cron: string;
    readonly time_zone: string;
    readonly paused: boolean;
    readonly problem: string | null;
    readonly next_at: string | null;
    readonly last_at: string | null;
    readonly missed_24h: number;
  }[];
  /** Turns that wait for batches, by provider. */
  readonly batches: readonly {
    readonly provider: string;
    /** Requests that were not sent. */
    readonly outbox: number;
    readonly requests: number;
    readonly batches: number;
    /** Batches whose submit was not confirmed. */
    readonly unclear: number;
    readonly oldest_at: string | null;
    readonly problem: string | null;
  }[];
  /** What waits for people: how many, and the ten oldest. */
  readonly asks: {
    readonly waiting: number;
    readonly first: readonly {
      readonly work_item_id: string | null;
      readonly faculty: string;
      readonly call_id: string;
      readonly kind: string;
      readonly subject: string;
      readonly tool: string | null;
      readonly shown: string;
      readonly asked_at: string;
      readonly deadline: string | null;
    }[];
  };
  /** Limits of which 80 % or more are used. */
  readonly budgets: readonly {
    readonly scope: string;
    /** The id of the item or root, the name of the faculty, or empty. */
    readonly subject: string;
    readonly unit: string;
    readonly period: string;
    /** Of its day or month. */
    readonly ends: string | null;
    readonly amount: number;
    readonly used: number;
  }[];
}

export interface Budget {
  readonly scope: string;
  readonly subject: string | null;
  readonly period: string;
  readonly unit: 'usd' | 'tokens';
  readonly amount: number;
  /** Null: nothing yet. */
  readonly used: number | null;
  readonly on_exceeded: 'wait' | 'die' | null;
  readonly origin: 'file' | 'operator' | 'submitter' | 'extension';
  readonly set_by: string;
  readonly set_at: string;
  readonly expires_at: string | null;
}

export interface Model {
  readonly provider: string;
  readonly model: string;
  /** The configuration of the server overrides values of the catalogue. */
  readonly overridden: boolean;
  readonly context_window: number;
  readonly max_output: number | null;
  readonly usd_per_million: ModelPrices | null;
  readonly images: boolean;
  readonly thinking: string;
  readonly effort: boolean;
  readonly temperature: boolean;
}

export interface ModelPrices {
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  readonly cache_write: number;
}

export interface Schedule {
  readonly name: string;
  readonly cron: string;
  readonly time_zone: string;
  readonly faculty: string;
  readonly description: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly missed: 'skip' | 'once' | 'all';
  readonly grace_seconds: number;
  readonly paused: boolean;
  readonly problem: string | null;
  readonly next_at: string | null;
  readonly last_at: string | null;
  readonly created_at: string;
}

export interface Memory {
  readonly id: string;
  readonly layer: 'task' | 'project' | 'global';
  readonly project: string | null;
  readonly task: string | null;
  readonly kind: string;
  readonly tags: readonly string[];
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Null: everybody’s. */
  readonly submitted_by: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly score: number | null;
  readonly source_item: string | null;
}

export interface MemoryStats {
  readonly memories: number;
  /** Tasks, projects or people that have some. */
  readonly places: number;
  /** Of each of them. */
  readonly limit: number;
  readonly merged: number;
  readonly embedded: number;
  readonly refused: number;
  readonly bytes: number;
}

export interface SkillVersion {
  readonly name: string;
  readonly version: number;
  readonly state: string;
  /** The version that it was made from. */
  readonly base: number | null;
  readonly description: string;
  readonly note: string;
  readonly content_hash: string;
  readonly faculty: string | null;
  readonly created_at: string;
  readonly decided_by: string | null;
  readonly decided_at: string | null;
  readonly decision_note: string | null;
  /** The work that wrote it, if one may see it. */
  readonly work_item_id: string | null;
}

export interface SkillOutcomes {
  readonly items: number;
  readonly completed: number;
  readonly cost_usd: number;
  readonly turns: number;
}

export interface Person {
  /** `*` is everybody who is not listed. */
  readonly name: string;
  readonly role: 'submitter' | 'reader' | 'operator';
  readonly created_at: string;
  readonly disabled_at: string | null;
  readonly created_by: string;
  /** That are accepted. */
  readonly tokens: number;
}

export interface Token {
  readonly id: string;
  readonly person: string;
  readonly label: string;
  /** The most that it may do; null: what its person may. */
  readonly role: 'submitter' | 'reader' | 'operator' | null;
  readonly scopes: readonly ('read' | 'work' | 'decide')[];
  readonly state: 'valid' | 'expired' | 'revoked' | 'disabled';
  readonly created_by: string;
  /** The token that made it: both are revoked together. */
  readonly created_with: string | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  /** At most a minute too early. */
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
  readonly revoked_by: string | null;
}

export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly created_at: string;
}

export interface WorkspaceFile {
  readonly id: string;
  readonly path: string;
  /** Its content is made when it is read. */
  readonly is_virtual: boolean;
  /** A conversation, or what came with a message of one. */
  readonly kind: 'chat' | 'attachment';
  /** Null for a virtual file. */
  readonly media_type: string | null;
  readonly bytes: number | null;
  readonly updated_at: string;
}

export interface NewChat {
  readonly faculty?: string | undefined;
  readonly title?: string | undefined;
  /** Of its file; default: chats/ID.chat. */
  readonly path?: string | undefined;
  /** A message that comes while an answer is given: answered next, or told into it. */
  readonly while_answering?: 'queue' | 'tell' | undefined;
}

export interface ChatWithPeople {
  /** Also the id of its file. */
  readonly id: string;
  readonly workspace_id: string;
  /** Of its file in the workspace. */
  readonly path: string;
  readonly title: string;
  readonly faculty: string;
  /** A message that comes while an answer is given: answered next, or told into it. */
  readonly while_answering: 'queue' | 'tell';
  readonly created_by: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly people: readonly string[];
}

export interface Chat {
  /** Also the id of its file. */
  readonly id: string;
  readonly workspace_id: string;
  /** Of its file in the workspace. */
  readonly path: string;
  readonly title: string;
  readonly faculty: string;
  /** A message that comes while an answer is given: answered next, or told into it. */
  readonly while_answering: 'queue' | 'tell';
  readonly created_by: string;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface NewChatMessage {
  readonly content: string;
  /** Of the work item. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly attachments?:
    | readonly {
        readonly name: string;
        /** The bytes in base64; at most 10 MiB, and 20 MiB of all files. */
        readonly content: string;
      }[]
    | undefined;
}

export interface SaidMessage {
  readonly message_id: string;
  /** The item that answers it; if it was told, the one that it was told to. */
  readonly work_item_id: string;
  /** It went into the answer that is being given, and has no item of its own. */
  readonly told: boolean;
  /** With `Prefer: wait=SECONDS`, if it ended in time: the item, as GET /work/{id} shows it. */
  readonly item?: WorkItem | undefined;
}

export interface ChatMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: string;
  /** Of an answer `faculty:NAME`. */
  readonly author: string;
  readonly created_at: string;
  /** The message that it stands for, after an edit or a retry. */
  readonly replaces: string | null;
  /** The item that answers it, or that gave the answer. */
  readonly work_item_id: string | null;
  /** It went into an answer that was being given. */
  readonly told: boolean;
  /** Of an answer. */
  readonly ended_as: 'completed' | 'dead' | 'cancelled' | null;
  /** Of the item, now. */
  readonly state: WorkState | null;
  readonly attachments: readonly ChatAttachment[] | null;
}

export interface ChatAttachment {
  readonly id: string;
  readonly name: string;
  readonly media_type: string;
  readonly bytes: number;
  /** In the workspace. */
  readonly path: string;
}

export interface ChatFile {
  readonly id: string;
  readonly name: string;
  readonly media_type: string;
  readonly bytes: number;
  /** In the workspace. */
  readonly path: string;
  readonly created_at: string;
  readonly message_id: string;
}

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  /** Null: all. */
  readonly faculties: readonly string[] | null;
  readonly label: string;
  /** It gets only what this actor may see. */
  readonly owner: string;
  /** False: the owner is disabled, and nothing is sent. */
  readonly active: boolean;
  /** A fingerprint of the key from which its secret is derived. */
  readonly key_mark: string;
  /** How many secrets it has had. */
  readonly secret_version: number;
  /** Until when the secret before signs, too. */
  readonly old_secret_until: string | null;
  readonly created_at: string;
  /** Deliveries that wait. */
  readonly pending: number;
  /** Dead letters. */
  readonly dead: number;
  /** Too many deliveries wait: new ones become dead letters, or are not kept at all. */
  readonly overflow: 'dead' | 'dropped' | null;
  readonly overflow_since: string | null;
  /** When events were last lost. */
  readonly dropped_at: string | null;
  readonly last_delivered_at: string | null;
  readonly last_error: string | null;
}

export type WebhookEvent =
  | 'work.queued'
  | 'work.scheduled'
  | 'work.claimed'
  | 'work.running'
  | 'work.waiting'
  | 'work.completed'
  | 'work.dead'
  | 'work.cancelled'
  | 'work.merged'
  | 'approval.waiting';

export interface NewWebhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  /** Null: all. */
  readonly faculties: readonly string[] | null;
  readonly label: string;
  /** It gets only what this actor may see. */
  readonly owner: string;
  /** False: the owner is disabled, and nothing is sent. */
  readonly active: boolean;
  /** A fingerprint of the key from which its secret is derived. */
  readonly key_mark: string;
  /** How many secrets it has had. */
  readonly secret_version: number;
  /** Until when the secret before signs, too. */
  readonly old_secret_until: string | null;
  readonly created_at: string;
  /** Deliveries that wait. */
  readonly pending: number;
  /** Dead letters. */
  readonly dead: number;
  /** Too many deliveries wait: new ones become dead letters, or are not kept at all. */
  readonly overflow: 'dead' | 'dropped' | null;
  readonly overflow_since: string | null;
  /** When events were last lost. */
  readonly dropped_at: string | null;
  readonly last_delivered_at: string | null;
  readonly last_error: string | null;
  /** For the receiver; shown once. */
  readonly secret: string;
}

export interface DeadDelivery {
  /** A number. */
  readonly id: string;
  readonly webhook_id: string;
  readonly work_item_id: string | null;
  readonly event: string;
  readonly attempts: number;
  /** Null: there was no answer. */
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly created_at: string;
  readonly ended_at: string;
}

export interface Delivery {
  /** A number. */
  readonly id: string;
  readonly webhook_id: string;
  readonly event: string;
  readonly state: 'pending' | 'delivered' | 'dead';
  readonly attempts: number;
  readonly last_status: number | null;
  readonly last_error: string | null;
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
  | OutputHint
  | StateHint
  | ClosedHint
  | MissedHint;

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
  readonly focus: number | null;
  readonly resumed: boolean;
  /** Who did it; null: the engine. */
  readonly by: string | null;
  readonly note: string | null;
}

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
  readonly cost_usd: number;
  readonly duration_ms: number | null;
}

export interface ThoughtEvent {
  readonly type: 'thought';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string;
  readonly focus: number;
  readonly turn: number;
  readonly text: string;
}

export interface TextEvent {
  readonly type: 'text';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string;
  readonly focus: number;
  readonly turn: number;
  readonly text: string;
}

export interface CallEvent {
  readonly type: 'call';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string;
  readonly focus: number;
  readonly turn: number;
  readonly call_id: string;
  readonly parent_call_id: string | null;
  readonly name: string;
  /** Above 16 KiB `{"cut": …}` with its beginning. */
  readonly input: Readonly<Record<string, unknown>>;
}

export interface ObservationEvent {
  readonly type: 'observation';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string;
  readonly focus: number;
  readonly turn: number;
  readonly call_id: string;
  readonly parent_call_id: string | null;
  readonly name: string;
  /** What it ran with, if a hook or a person changed it. */
  readonly input: Readonly<Record<string, unknown>> | null;
  readonly state: string;
  readonly is_error: boolean;
  /** Its first 4,000 characters. */
  readonly output: string;
  readonly output_bytes: number;
  readonly duration_ms: number | null;
}

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

export interface ApprovalEvent {
  readonly type: 'approval';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string;
  readonly call_id: string | null;
  readonly status: 'asked' | 'approve' | 'deny' | 'answer' | 'edit' | 'closed';
  readonly subject: string | null;
  /** JSON, its first 4,000 characters. */
  readonly request: string | null;
  /** Binds a decision to this request. */
  readonly hash: string | null;
  readonly deadline: string | null;
  readonly by: string | null;
  readonly note: string | null;
  readonly result: string | null;
}

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

export interface DoneEvent {
  readonly type: 'done';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string;
  readonly state: WorkState;
  readonly summary: string | null;
  readonly error: string | null;
  readonly merged_into: string | null;
  readonly cost_usd: number;
}

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

export interface StateHint {
  readonly type: 'state';
  readonly live: true;
  readonly work_item_id: string;
  readonly state: WorkState;
}

/** The server ends the stream early. */
export interface ClosedHint {
  readonly type: 'closed';
  readonly live: true;
  /** Of docs/errors.md. */
  readonly code: string;
}

/** The reader was too slow: hints were left out. */
export interface MissedHint {
  readonly type: 'missed';
  readonly live: true;
  readonly work_item_id: string;
}

export type ChatEvent =
  | SaidEvent
  | AnsweredEvent
  | DeletedEvent
  | RetriedEvent
  | PeopleEvent
  | ConversationEvent
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
  | OutputHint
  | StateHint
  | ClosedHint
  | ChatMissedHint;

export interface SaidEvent {
  readonly type: 'said';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string | null;
  /** The id of the message. */
  readonly message_id: string;
  readonly role: 'user' | 'assistant' | 'system';
  readonly author: string;
  /** Its first 262,144 characters; null: it has been deleted since. */
  readonly text: string | null;
  readonly said_at: string;
  /** The message of a person before it on its branch; of an answer, its message. */
  readonly after: string | null;
  /** The message that an edit or a retry stands for, or the earlier answer. */
  readonly replaces: string | null;
  /** It went into the answer of that item. */
  readonly told: boolean;
  readonly attachments: readonly {
    readonly id: string;
    readonly name: string;
    readonly media_type: string;
    readonly bytes: number;
  }[];
}

export interface AnsweredEvent {
  readonly type: 'answered';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string | null;
  /** The id of the message. */
  readonly message_id: string;
  readonly role: 'user' | 'assistant' | 'system';
  readonly author: string;
  /** Its first 262,144 characters; null: it has been deleted since. */
  readonly text: string | null;
  readonly said_at: string;
  /** The message of a person before it on its branch; of an answer, its message. */
  readonly after: string | null;
  /** The message that an edit or a retry stands for, or the earlier answer. */
  readonly replaces: string | null;
  /** It went into the answer of that item. */
  readonly told: boolean;
  readonly attachments: readonly {
    readonly id: string;
    readonly name: string;
    readonly media_type: string;
    readonly bytes: number;
  }[];
  readonly ended_as: string;
}

export interface DeletedEvent {
  readonly type: 'deleted';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string | null;
  /** The id of the message. */
  readonly message_id: string;
  /** Who did it. */
  readonly by: string | null;
}

export interface RetriedEvent {
  readonly type: 'retried';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string | null;
  /** The id of the message. */
  readonly message_id: string;
  /** Who did it. */
  readonly by: string | null;
}

export interface PeopleEvent {
  readonly type: 'people';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string | null;
  readonly actor: string;
  readonly joined: boolean;
  /** Who did it. */
  readonly by: string | null;
}

export interface ConversationEvent {
  readonly type: 'conversation';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string | null;
  readonly faculty: string;
  readonly title: string;
  readonly while_answering: 'queue' | 'tell';
  /** Who did it. */
  readonly by: string | null;
}

/** The reader was too slow: hints were left out. */
export interface ChatMissedHint {
  readonly type: 'missed';
  readonly live: true;
  readonly chat_id: string;
}

export type StatesEvent = SnapshotHint | WorkStateHint | WorkDoneHint | ClosedHint;

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
}

/** Another state. */
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
}

export interface Problem {
  /** `urn:animus:error:` and the code. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** Of docs/errors.md; branch on it, never on texts. */
  readonly code: string;
  /** The same request may succeed later. */
  readonly retryable: boolean;
}

export interface ListWorkInput {
  /** Only those in this state. */
  readonly state?: WorkState | undefined;
  /** Only those of this faculty; in a path, the faculty. */
  readonly faculty?: string | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** How many there are at most. */
  readonly limit?: number | undefined;
}

export interface ListChildrenInput {
  /** Only those in this state. */
  readonly state?: WorkState | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** How many there are at most. */
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

export interface ListMailInput {
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** How many there are at most. */
  readonly limit?: number | undefined;
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

export interface ReadLedgerInput {
  /** Only entries of this type. */
  readonly type?: 'plan' | 'finding' | 'decision' | 'step' | 'error' | 'note' | undefined;
  /** The `next` of the page before, or the `seq` of an entry. */
  readonly after?: number | undefined;
  /** How many there are at most. */
  readonly limit?: number | undefined;
}

export interface AppendLedgerInput {
  readonly type: 'plan' | 'finding' | 'decision' | 'step' | 'error' | 'note';
  readonly content: string;
}

export interface AppendLedgerOutput {
  readonly seq: number;
}

export interface ListFociOutput {
  readonly items: readonly Focus[];
}

export interface ListTurnsInput {
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** How many there are at most. */
  readonly limit?: number | undefined;
}

export interface ListToolCallsInput {
  /** Whole outputs; otherwise their first 2,000 characters. */
  readonly full?: string | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** How many there are at most. */
  readonly limit?: number | undefined;
}

export interface ListContextInput {
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** How many there are at most. */
  readonly limit?: number | undefined;
}

export interface ListWaitsOutput {
  readonly items: readonly Wait[];
}

export interface ListActivationsOutput {
  readonly items: readonly SkillActivation[];
}

export interface ShowWorkBudgetOutput {
  readonly items: readonly BudgetLeft[];
}

export interface ListApprovalsInput {
  /** Only what this item waits for. */
  readonly work_item_id?: string | undefined;
  /** How many there are at most. */
  readonly limit?: number | undefined;
}

export interface ListApprovalsOutput {
  readonly items: readonly Approval[];
}

export interface ApproveInput {
  /** May be left out if only one fits. */
  readonly call_id?: string | undefined;
  readonly note?: string | undefined;
  /** Refused with 409 if something else waits by now. */
  readonly hash?: string | undefined;
  /** The call runs with this input instead. */
  readonly input?: unknown;
  /** Also allow calls like this one from now on, without asking. */
  readonly always?:
    | {
        readonly scope?: 'item' | 'faculty' | undefined;
        /** How long; default a week, at most 366 days. */
        readonly seconds?: number | undefined;
        /** Of inputs, such as `npm test*`; default: exactly this one. */
        readonly pattern?: string | undefined;
      }
    | undefined;
}

export interface ApproveOutput {
  readonly work_item_id: string;
  readonly call_id: string;
  readonly grant_id: string | null;
}

export interface DenyInput {
  /** May be left out if only one fits. */
  readonly call_id?: string | undefined;
  readonly note?: string | undefined;
  /** Refused with 409 if something else waits by now. */
  readonly hash?: string | undefined;
}

export interface DenyOutput {
  readonly work_item_id: string;
  readonly call_id: string;
}

export interface AnswerInput {
  readonly text: string;
  /** May be left out if only one fits. */
  readonly call_id?: string | undefined;
}

export interface AnswerOutput {
  readonly work_item_id: string;
  readonly call_id: string;
}

export interface ListGrantsOutput {
  readonly items: readonly Grant[];
}

export interface RevokeGrantOutput {
  readonly id: string;
  /** False: it had ended before. */
  readonly revoked: boolean;
}

export interface ListArtifactsInput {
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** How many there are at most. */
  readonly limit?: number | undefined;
}

export interface ListFacultiesOutput {
  readonly items: readonly {
    readonly name: string;
    /** How many serve it. */
    readonly daemons: number;
    /** For those who may see all work. */
    readonly hosts: readonly string[] | null;
    /** Who does its work: builtin (a model), external (a command) or code. */
    readonly mode: string;
    /** How many of the daemons can start the containers that mode code needs, as far as they know. */
    readonly able: number;
    /** Why one cannot; for those who may see all work. */
    readonly problem: string | null;
  }[];
}

export interface ShowFacultyOutput {
  readonly name: string;
  readonly daemons: readonly {
    /** Of animus. */
    readonly version: string;
    /** For those who may see all work. */
    readonly host: string | null;
    readonly settings: Readonly<Record<string, unknown>>;
  }[];
}

export interface ListPausesOutput {
  readonly items: readonly {
    /** `*`: all. */
    readonly faculty: string;
    readonly reason: string;
    readonly paused_by: string;
    readonly until: string | null;
    readonly created_at: string;
  }[];
}

export interface PauseInput {
  readonly faculty?: string | undefined;
  readonly reason?: string | undefined;
}

export interface PauseOutput {
  readonly faculty: string;
}

export interface ResumeOutput {
  readonly faculty: string;
  /** False: it was not paused. */
  readonly resumed: boolean;
}

export interface ListBudgetsOutput {
  readonly items: readonly Budget[];
}

export interface SetBudgetInput {
  /** What is limited. */
  readonly scope: 'item' | 'root' | 'faculty' | 'appliance';
  /** The id of a work item, or the name of a faculty: of `item` and `root` each item of it; none for the appliance. */
  readonly subject?: string | undefined;
  /** In UTC; items and roots have none. */
  readonly period?: 'none' | 'day' | 'month' | undefined;
  readonly unit: 'usd' | 'tokens';
  readonly amount: number;
  readonly on_exceeded?: 'wait' | 'die' | undefined;
}

export interface SetBudgetOutput {
  readonly scope: string;
  readonly subject: string | null;
  readonly period: string;
  readonly unit: 'usd' | 'tokens';
}

export interface RemoveBudgetInput {
  /** What is limited. */
  readonly scope: 'item' | 'root' | 'faculty' | 'appliance';
  /** The id of a work item, or the name of a faculty: of `item` and `root` each item of it; none for the appliance. */
  readonly subject?: string | undefined;
  /** In UTC; items and roots have none. */
  readonly period?: 'none' | 'day' | 'month' | undefined;
  /** Of the limit. */
  readonly unit?: 'usd' | 'tokens' | undefined;
}

export interface RemoveBudgetOutput {
  /** False: there was none. */
  readonly removed: boolean;
}

export interface SpendInput {
  /** The first day. */
  readonly since: string;
  /** The day after the last. */
  readonly until?: string | undefined;
  /** A list of day, month, faculty, model, operation, submitter. */
  readonly by?: string | undefined;
  /** How many there are at most. */
  readonly limit?: number | undefined;
}

export interface SpendOutput {
  readonly rows: readonly {
    readonly day: string | null;
    readonly month: string | null;
    readonly faculty: string | null;
    readonly model: string | null;
    readonly operation: string | null;
    readonly submitter: string | null;
    readonly usd: number;
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly calls: number;
    /** Runs of code without a model, which are no calls. */
    readonly code_runs: number;
  }[];
  readonly total: {
    readonly usd: number;
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly calls: number;
    /** Runs of code without a model, which are no calls. */
    readonly code_runs: number;
    readonly groups: number;
  };
}

export interface SpendItemsInput {
  /** The first day. */
  readonly since: string;
  /** The day after the last. */
  readonly until?: string | undefined;
  /** By cost, or by time. */
  readonly order?: 'dearest' | 'slowest' | undefined;
  /** How many there are at most. */
  readonly limit?: number | undefined;
}

export interface SpendItemsOutput {
  readonly items: readonly {
    readonly id: string;
    readonly faculty: string;
    readonly state: WorkState;
    readonly description: string;
    readonly submitted_by: string | null;
    readonly turns: number;
    readonly usd: number;
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly created_at: string;
    readonly resolved_at: string | null;
    /** From when it was due to its end, or until now. */
    readonly elapsed_ms: number;
    /** In which it was worked on. */
    readonly worked_ms: number;
  }[];
}

export interface SpendRootsInput {
  /** The first day. */
  readonly since: string;
  /** The day after the last. */
  readonly until?: string | undefined;
  /** How many there are at most. */
  readonly limit?: number | undefined;
}

export interface SpendRootsOutput {
  readonly items: readonly {
    readonly id: string;
    readonly faculty: string;
    readonly state: WorkState;
    readonly description: string;
    readonly submitted_by: string | null;
    readonly turns: number;
    readonly usd: number;
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly created_at: string;
    readonly resolved_at: string | null;
    readonly items: number;
  }[];
}

export interface ListModelsInput {
  /** Only its models. */
  readonly provider?: string | undefined;
  /** Its name. */
  readonly model?: string | undefined;
}

export interface ListModelsOutput {
  readonly items: readonly Model[];
}

export interface ListSchedulesOutput {
  readonly items: readonly Schedule[];
}

export interface AddScheduleInput {
  readonly name: string;
  readonly cron: string;
  readonly time_zone?: string | undefined;
  readonly faculty: string;
  readonly description?: string | undefined;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly missed?: 'skip' | 'once' | 'all' | undefined;
  readonly grace_seconds?: number | undefined;
  readonly paused?: boolean | undefined;
}

export interface AddScheduleOutput {
  readonly name: string;
}

export interface PauseScheduleOutput {
  readonly name: string;
  readonly paused: boolean;
  readonly changed: boolean;
}

export interface ResumeScheduleOutput {
  readonly name: string;
  readonly paused: boolean;
  readonly changed: boolean;
}

export interface RunScheduleOutput {
  readonly name: string;
  readonly work_item_id: string;
}

export interface ListScheduleRunsInput {
  /** How many there are at most. */
  readonly limit?: number | undefined;
}

export interface ListScheduleRunsOutput {
  readonly items: readonly {
    readonly due_at: string;
    /** The last one of several that were missed. */
    readonly until_at: string;
    readonly result: string;
    readonly runs: number;
    readonly work_item_id: string | null;
  }[];
}

export interface RemoveScheduleOutput {
  readonly name: string;
  readonly removed: true;
}

export interface SearchMemoriesInput {
  /** Words to look for. */
  readonly query?: string | undefined;
  /** Only memories of this layer. */
  readonly layer?: 'task' | 'project' | 'global' | undefined;
  /** Only memories of this kind. */
  readonly kind?: string | undefined;
  /** Only memories with this tag. */
  readonly tag?: string | undefined;
  /** Only memories of this project. */
  readonly project?: string | undefined;
  /** Of the task that this work item belongs to. */
  readonly task?: string | undefined;
  /** The work item that stored, changed or confirmed it. */
  readonly source?: string | undefined;
  /** Of that work. */
  readonly faculty?: string | undefined;
  /** Changed at this time or later. */
  readonly since?: string | undefined;
  /** Changed before this time. */
  readonly until?: string | undefined;
  /** The age that halves a score. */
  readonly half_life_days?: number | undefined;
  /** Only what this work of yours would find. */
  readonly work_item_id?: string | undefined;
  /** How many there are at most. */
  readonly limit?: number | undefined;
}

export interface SearchMemoriesOutput {
  readonly items: readonly Memory[];
}

export interface StoreMemoryInput {
  readonly content: string;
  /** Default global. */
  readonly layer?: 'task' | 'project' | 'global' | undefined;
  readonly project?: string | undefined;
  /** The work that it is stored for; otherwise it is the person’s own. */
  readonly work_item_id?: string | undefined;
  /** For all; operators only. */
  readonly everybody?: boolean | undefined;
  /** Such as fact, preference, procedure, lesson; default fact. */
  readonly kind?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface StoreMemoryOutput {
  readonly id: string;
  /** The same text was there already. */
  readonly merged: boolean;
}

export interface UpdateMemoryInput {
  readonly content?: string | undefined;
  /** Such as fact, preference, procedure, lesson; default fact. */
  readonly kind?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface UpdateMemoryOutput {
  /** Another one, if it was merged into that. */
  readonly id: string;
}

export interface ForgetMemoryInput {
  /** Why; it is recorded. */
  readonly reason: string;
}

export interface ForgetMemoryOutput {
  readonly id: string;
}

export interface MemoryStatsOutput {
  readonly layers: {
    readonly task: MemoryStats;
    readonly project: MemoryStats;
    readonly global: MemoryStats;
  };
  /** Of the present model; null: no daemon has run with one. */
  readonly embeddings: unknown;
}

export interface ListSkillsOutput {
  readonly items: readonly SkillVersion[];
}

export interface ShowSkillOutput {
  readonly items: readonly SkillVersion[];
}

export interface ShowSkillVersionOutput {
  readonly name: string;
  readonly version: number;
  readonly state: string;
  /** The version that it was made from. */
  readonly base: number | null;
  readonly description: string;
  readonly note: string;
  readonly content_hash: string;
  readonly faculty: string | null;
  readonly created_at: string;
  readonly decided_by: string | null;
  readonly decided_at: string | null;
  readonly decision_note: string | null;
  /** The work that wrote it, if one may see it. */
  readonly work_item_id: string | null;
  readonly files: readonly {
    readonly path: string;
    /** The bytes in base64. */
    readonly content: string;
  }[];
}

export interface DiffSkillInput {
  /** This version. */
  readonly to?: number | undefined;
  /** Default: the one that it was made from. */
  readonly from?: number | undefined;
}

export interface DiffSkillOutput {
  readonly to: SkillVersion;
  readonly from: number | null;
  readonly files: readonly {
    readonly path: string;
    readonly patch: string;
  }[];
}

export interface SkillStatsInput {
  /** Default: 30 days ago. */
  readonly since?: string | undefined;
  /** Only this one. */
  readonly skill?: string | undefined;
}

export interface SkillStatsOutput {
  readonly items: readonly {
    readonly skill: string;
    readonly activations: number;
    readonly last_used_at: string | null;
    readonly with_it: SkillOutcomes;
    /** Other work of the same faculties since the skill was first used there. */
    readonly without: SkillOutcomes;
  }[];
}

export interface StaleSkillsInput {
  /** Default: as the daemons are configured. */
  readonly days?: number | undefined;
}

export interface StaleSkillsOutput {
  readonly items: readonly {
    readonly name: string;
    readonly origin: 'person' | 'agent';
    readonly last_used_at: string | null;
    readonly first_seen_at: string;
  }[];
}

export interface ApproveSkillInput {
  /** Why; it is kept with the decision. */
  readonly note?: string | undefined;
  /** Refused with 409 if another version waits than the one with this content hash. */
  readonly hash?: string | undefined;
}

export interface ApproveSkillOutput {
  readonly name: string;
  readonly version: number;
}

export interface DenySkillInput {
  /** Why; it is kept with the decision. */
  readonly note?: string | undefined;
  /** Refused with 409 if another version waits than the one with this content hash. */
  readonly hash?: string | undefined;
}

export interface DenySkillOutput {
  readonly name: string;
  readonly version: number;
}

export interface ArchiveSkillInput {
  /** Why; it is kept with the decision. */
  readonly note?: string | undefined;
}

export interface ArchiveSkillOutput {
  readonly name: string;
  readonly version: number;
}

export interface ExportAuditInput {
  /** From this time on. */
  readonly since?: string | undefined;
  /** Before this time. */
  readonly until?: string | undefined;
  /** Only the newest decision of every chain, without the times. */
  readonly heads?: string | undefined;
}

export type CheckAuditOutput = string;

export interface ShowMeOutput {
  readonly person: string;
  /** As in `submitted_by` and `decided_by`. */
  readonly actor: string;
  readonly role: 'submitter' | 'reader' | 'operator';
  readonly scopes: readonly ('read' | 'work' | 'decide')[];
  /** Null: a token of an OIDC issuer. */
  readonly token_id: string | null;
  readonly expires_at: string | null;
}

export interface ListPeopleOutput {
  readonly items: readonly Person[];
}

export interface SetPersonInput {
  /** Only a login of the database makes operators. */
  readonly role?: 'submitter' | 'reader' | undefined;
  /** A disabled person is refused, with all its tokens; without a role, only for people who are listed. */
  readonly disabled?: boolean | undefined;
}

export interface SetPersonOutput {
  /** `*` is everybody who is not listed. */
  readonly name: string;
  readonly role: 'submitter' | 'reader' | 'operator';
  readonly created_at: string;
  readonly disabled_at: string | null;
}

export interface ListTokensInput {
  /** Only those of this person. */
  readonly person?: string | undefined;
  /** Also those that are not accepted any more. */
  readonly all?: string | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** How many there are at most. */
  readonly limit?: number | undefined;
}

export interface CreateTokenInput {
  /** Default: yourself. */
  readonly person?: string | undefined;
  /** What it is for. */
  readonly label?: string | undefined;
  /** The most that it may do. */
  readonly role?: 'submitter' | 'reader' | 'operator' | undefined;
  /** Default: those of your token. */
  readonly scopes?: readonly ('read' | 'work' | 'decide')[] | undefined;
  /** Default: when your token expires, and no later. */
  readonly expires_at?: string | undefined;
}

export interface CreateTokenOutput {
  readonly id: string;
  readonly person: string;
  /** This person was not listed before. */
  readonly person_added: boolean;
  /** Shown once: only its hash is kept. */
  readonly token: string;
}

export interface RevokeTokenOutput {
  readonly id: string;
  readonly person: string;
}

export interface CreateWorkspaceInput {
  readonly name: string;
}

export interface ListWorkspacesInput {
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** How many there are at most. */
  readonly limit?: number | undefined;
}

export interface RenameWorkspaceInput {
  readonly name: string;
}

export interface DeleteWorkspaceOutput {
  readonly id: string;
  readonly deleted: true;
}

export interface ListWorkspaceFilesInput {
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** How many there are at most. */
  readonly limit?: number | undefined;
}

export interface ReadWorkspaceFileInput {
  /** In the workspace, such as chats/plans.chat. */
  readonly path: string;
}

export interface ListChatsInput {
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** How many there are at most. */
  readonly limit?: number | undefined;
}

export interface ChangeChatInput {
  readonly faculty?: string | undefined;
  readonly title?: string | undefined;
  /** A message that comes while an answer is given: answered next, or told into it. */
  readonly while_answering?: 'queue' | 'tell' | undefined;
}

export interface DeleteChatOutput {
  readonly id: string;
}

export interface InviteToChatInput {
  /** Person:NAME, or a login of the database. */
  readonly actor: string;
}

export interface InviteToChatOutput {
  readonly changed: boolean;
}

export interface RemoveFromChatOutput {
  readonly changed: boolean;
}

export interface ListChatMessagesInput {
  /** Newest: the first page has the last messages, the next pages those before them. */
  readonly order?: 'oldest' | 'newest' | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** How many there are at most. */
  readonly limit?: number | undefined;
}

export interface DeleteChatMessageOutput {
  readonly deleted: boolean;
}

export interface EditChatMessageInput {
  readonly content: string;
}

export interface ListChatAttachmentsInput {
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** How many there are at most. */
  readonly limit?: number | undefined;
}

export interface ExportChatInput {
  /** Of the export. */
  readonly format?: 'jsonl' | 'markdown' | undefined;
}

export interface ImportChatInput {
  /** The text of an export, JSON Lines or Markdown. */
  readonly content: string;
  readonly faculty?: string | undefined;
  readonly title?: string | undefined;
}

export interface ImportChatOutput {
  readonly id: string;
  readonly messages: number;
}

export interface ListWebhooksOutput {
  readonly items: readonly Webhook[];
}

export interface AddWebhookInput {
  readonly url: string;
  readonly events?: readonly WebhookEvent[] | undefined;
  /** Default: all. */
  readonly faculties?: readonly string[] | undefined;
  readonly label?: string | undefined;
}

export interface RemoveWebhookOutput {
  readonly id: string;
  readonly removed: true;
}

export interface RotateWebhookInput {
  readonly keep_hours?: number | undefined;
}

export interface TestWebhookOutput {
  readonly id: string;
  readonly delivery_id: string;
}

export interface ListDeadDeliveriesInput {
  /** How many there are at most. */
  readonly limit?: number | undefined;
  /** The number of a delivery. */
  readonly after?: string | undefined;
}

export interface RetryDeliveriesInput {
  /** The number of a delivery. */
  readonly delivery_id?: string | undefined;
}

export interface RetryDeliveriesOutput {
  readonly id: string;
  readonly retried: number;
}

/** The methods of a client, one for each route. */
export interface Api {
  /** Work items: submit, find, steer and cancel them. */
  readonly work: {
    /**
     * Submit a work item. Needs a token of scope `work`.
     *
     * `POST /work`
     */
    submit(input: NewWork, options?: CallOptions): Promise<SubmittedWork>;
    /**
     * Work items, newest first. Needs a token of scope `read`.
     *
     * `GET /work`
     */
    list(input?: ListWorkInput, options?: CallOptions): List<WorkSummary>;
    /**
     * One work item. Needs a token of scope `read`.
     *
     * `GET /work/{id}`
     */
    show(id: string, options?: CallOptions): Promise<WorkItem>;
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
     * The states of all work that you may see, as an event stream: a snapshot, then changes. Needs a token of scope `read`.
     *
     * `GET /events`
     */
    states(options?: EventOptions): AsyncGenerator<StatesEvent, void>;
  };
  /** Code that runs in a container. */
  readonly sandbox: {
    /**
     * Run Python or a command in a container: submits a work item, whose events contain the output while it runs. Needs a token of scope `work`.
     *
     * `POST /sandbox/executions`
     */
    runCode(input: NewExecution, options?: CallOptions): Promise<Execution>;
  };
  /** What was recorded of work: ledger, foci, turns and tool calls. */
  readonly record: {
    /**
     * The messages to an item, oldest first, and when its model got each. Needs a token of scope `read`.
     *
     * `GET /work/{id}/messages`
     */
    listMail(id: string, input?: ListMailInput, options?: CallOptions): List<Mail>;
    /**
     * The ledger of an item, in order. Needs a token of scope `read`.
     *
     * `GET /work/{id}/ledger`
     */
    readLedger(id: string, input?: ReadLedgerInput, options?: CallOptions): List<LedgerEntry>;
    /**
     * Append an entry to the ledger of an item; for operators. Needs a token of scope `decide`.
     *
     * `POST /work/{id}/ledger`
     */
    appendLedger(id: string, input: AppendLedgerInput, options?: CallOptions): Promise<AppendLedgerOutput>;
    /**
     * The foci of an item: each activation of its faculty. Needs a token of scope `read`.
     *
     * `GET /work/{id}/foci`
     */
    listFoci(id: string, options?: CallOptions): Promise<ListFociOutput>;
    /**
     * The turns of an item: each answer of a model, oldest first. Needs a token of scope `read`.
     *
     * `GET /work/{id}/turns`
     */
    listTurns(id: string, input?: ListTurnsInput, options?: CallOptions): List<Turn>;
    /**
     * The tool calls of an item, oldest first. Needs a token of scope `read`.
     *
     * `GET /work/{id}/tool-calls`
     */
    listToolCalls(id: string, input?: ListToolCallsInput, options?: CallOptions): List<ToolCall>;
    /**
     * What the engine wrote into the contexts of an item, oldest first. Needs a token of scope `read`.
     *
     * `GET /work/{id}/context`
     */
    listContext(id: string, input?: ListContextInput, options?: CallOptions): List<ContextMessage>;
    /**
     * What an item waits for now, oldest first. Needs a token of scope `read`.
     *
     * `GET /work/{id}/waits`
     */
    listWaits(id: string, options?: CallOptions): Promise<ListWaitsOutput>;
    /**
     * The skills that an item has used, and why. Needs a token of scope `read`.
     *
     * `GET /work/{id}/skills`
     */
    listActivations(id: string, options?: CallOptions): Promise<ListActivationsOutput>;
    /**
     * The limits that apply to an item, and what is left of them. Needs a token of scope `read`.
     *
     * `GET /work/{id}/budget`
     */
    showWorkBudget(id: string, options?: CallOptions): Promise<ShowWorkBudgetOutput>;
  };
  /** What waits for the decision of a person. */
  readonly approvals: {
    /**
     * What waits for a person, oldest first. Needs a token of scope `read`.
     *
     * `GET /approvals`
     */
    list(input?: ListApprovalsInput, options?: CallOptions): Promise<ListApprovalsOutput>;
    /**
     * Approve what waits; for operators. Needs a token of scope `decide`.
     *
     * `POST /work/{id}/approve`
     */
    approve(id: string, input?: ApproveInput, options?: CallOptions): Promise<ApproveOutput>;
    /**
     * Deny what waits; the model gets the note; for operators. Needs a token of scope `decide`.
     *
     * `POST /work/{id}/deny`
     */
    deny(id: string, input?: DenyInput, options?: CallOptions): Promise<DenyOutput>;
    /**
     * Answer a question of the model; for operators. Needs a token of scope `decide`.
     *
     * `POST /work/{id}/answer`
     */
    answer(id: string, input: AnswerInput, options?: CallOptions): Promise<AnswerOutput>;
    /**
     * The calls that run without an approval; for those who may see all work. Needs a token of scope `read`.
     *
     * `GET /grants`
     */
    listGrants(options?: CallOptions): Promise<ListGrantsOutput>;
    /**
     * End a grant; calls that have started continue; for operators. Needs a token of scope `decide`.
     *
     * `DELETE /grants/{id}`
     */
    revokeGrant(id: string, options?: CallOptions): Promise<RevokeGrantOutput>;
  };
  /** Files of work. */
  readonly artifacts: {
    /**
     * The files of an item, oldest first. Needs a token of scope `read`.
     *
     * `GET /work/{id}/artifacts`
     */
    list(id: string, input?: ListArtifactsInput, options?: CallOptions): List<Artifact>;
    /**
     * The bytes of a file; supports Range. Needs a token of scope `read`.
     *
     * `GET /artifacts/{id}`
     */
    read(id: string, options?: CallOptions): Promise<Response>;
  };
  /** Faculties, pauses, status and spend. */
  readonly operate: {
    /**
     * The faculties that running daemons serve. Needs a token of scope `read`.
     *
     * `GET /faculties`
     */
    listFaculties(options?: CallOptions): Promise<ListFacultiesOutput>;
    /**
     * The settings of a faculty, as running daemons have read them. Needs a token of scope `read`.
     *
     * `GET /faculties/{name}`
     */
    showFaculty(name: string, options?: CallOptions): Promise<ShowFacultyOutput>;
    /**
     * What is paused, for those who may see all work. Needs a token of scope `read`.
     *
     * `GET /pauses`
     */
    listPauses(options?: CallOptions): Promise<ListPausesOutput>;
    /**
     * Stop new claims and model calls, of one faculty or all; for operators. Needs a token of scope `decide`.
     *
     * `POST /pauses`
     */
    pause(input?: PauseInput, options?: CallOptions): Promise<PauseOutput>;
    /**
     * Lift a pause; for operators. Needs a token of scope `decide`.
     *
     * `DELETE /pauses/{faculty}`
     */
    resume(faculty: string, options?: CallOptions): Promise<ResumeOutput>;
    /**
     * What `animus status --json` prints of the database, for those who may see all work. Needs a token of scope `read`.
     *
     * `GET /status`
     */
    status(options?: CallOptions): Promise<Status>;
    /**
     * The limits of what work may cost, and how much of each is used; for operators. Needs a token of scope `read`.
     *
     * `GET /budgets`
     */
    listBudgets(options?: CallOptions): Promise<ListBudgetsOutput>;
    /**
     * Set a limit: operators any, others a lower one for an item of their own. Needs a token of scope `work`.
     *
     * `PUT /budgets`
     */
    setBudget(input: SetBudgetInput, options?: CallOptions): Promise<SetBudgetOutput>;
    /**
     * Remove a limit that a person has set, so that the one in the file applies again; for operators. Needs a token of scope `decide`.
     *
     * `DELETE /budgets`
     */
    removeBudget(input: RemoveBudgetInput, options?: CallOptions): Promise<RemoveBudgetOutput>;
    /**
     * What model calls cost, by UTC day. Needs a token of scope `read`.
     *
     * `GET /spend`
     */
    spend(input: SpendInput, options?: CallOptions): Promise<SpendOutput>;
    /**
     * The work items of a period that cost most or took longest. Needs a token of scope `read`.
     *
     * `GET /spend/items`
     */
    spendItems(input: SpendItemsInput, options?: CallOptions): Promise<SpendItemsOutput>;
    /**
     * The root items of a period, each with the sum of all its child work, the most expensive first. Needs a token of scope `read`.
     *
     * `GET /spend/roots`
     */
    spendRoots(input: SpendRootsInput, options?: CallOptions): Promise<SpendRootsOutput>;
    /**
     * The models that animus knows, with context windows, prices and abilities. Needs a token of scope `read`.
     *
     * `GET /models`
     */
    listModels(input?: ListModelsInput, options?: CallOptions): Promise<ListModelsOutput>;
  };
  /** Work that is submitted at set times. */
  readonly schedules: {
    /**
     * All schedules, for those who may see all work. Needs a token of scope `read`.
     *
     * `GET /schedules`
     */
    list(options?: CallOptions): Promise<ListSchedulesOutput>;
    /**
     * Add a schedule; for operators. Needs a token of scope `decide`.
     *
     * `POST /schedules`
     */
    add(input: AddScheduleInput, options?: CallOptions): Promise<AddScheduleOutput>;
    /**
     * Pause a schedule; for operators. Needs a token of scope `decide`.
     *
     * `POST /schedules/{name}/pause`
     */
    pause(name: string, options?: CallOptions): Promise<PauseScheduleOutput>;
    /**
     * Resume a schedule; for operators. Needs a token of scope `decide`.
     *
     * `POST /schedules/{name}/resume`
     */
    resume(name: string, options?: CallOptions): Promise<ResumeScheduleOutput>;
    /**
     * Submit the work of a schedule now; for operators. Needs a token of scope `decide`.
     *
     * `POST /schedules/{name}/run`
     */
    run(name: string, options?: CallOptions): Promise<RunScheduleOutput>;
    /**
     * The last runs of a schedule, newest first, including those that were missed. Needs a token of scope `read`.
     *
     * `GET /schedules/{name}/runs`
     */
    listRuns(name: string, input?: ListScheduleRunsInput, options?: CallOptions): Promise<ListScheduleRunsOutput>;
    /**
     * Remove a schedule and the record of its runs; for operators. Needs a token of scope `decide`.
     *
     * `DELETE /schedules/{name}`
     */
    remove(name: string, options?: CallOptions): Promise<RemoveScheduleOutput>;
  };
  /** What agents and people remember. */
  readonly memory: {
    /**
     * Find memories by words, best first; without a query the newest. Needs a token of scope `read`.
     *
     * `GET /memories`
     */
    search(input?: SearchMemoriesInput, options?: CallOptions): Promise<SearchMemoriesOutput>;
    /**
     * Store a memory. Needs a token of scope `work`.
     *
     * `POST /memories`
     */
    store(input: StoreMemoryInput, options?: CallOptions): Promise<StoreMemoryOutput>;
    /**
     * Change a memory. Needs a token of scope `work`.
     *
     * `PATCH /memories/{id}`
     */
    update(id: string, input?: UpdateMemoryInput, options?: CallOptions): Promise<UpdateMemoryOutput>;
    /**
     * Delete a memory with its history. Needs a token of scope `work`.
     *
     * `DELETE /memories/{id}`
     */
    forget(id: string, input: ForgetMemoryInput, options?: CallOptions): Promise<ForgetMemoryOutput>;
    /**
     * How many memories each layer has, and the state of their embeddings; for those who may see all work. Needs a token of scope `read`.
     *
     * `GET /memory-stats`
     */
    stats(options?: CallOptions): Promise<MemoryStatsOutput>;
  };
  /** Skills that agents wrote. */
  readonly skills: {
    /**
     * The current versions of the skills that agents wrote, by name. Needs a token of scope `read`.
     *
     * `GET /skills`
     */
    list(options?: CallOptions): Promise<ListSkillsOutput>;
    /**
     * The versions of a skill that you may see, newest first. Needs a token of scope `read`.
     *
     * `GET /skills/{name}`
     */
    show(name: string, options?: CallOptions): Promise<ShowSkillOutput>;
    /**
     * A version of a skill with its files. Needs a token of scope `read`.
     *
     * `GET /skills/{name}/versions/{version}`
     */
    showVersion(name: string, version: number, options?: CallOptions): Promise<ShowSkillVersionOutput>;
    /**
     * What a version of a skill changes: the proposed one, if one waits, otherwise the current one. Needs a token of scope `read`.
     *
     * `GET /skills/{name}/diff`
     */
    diff(name: string, input?: DiffSkillInput, options?: CallOptions): Promise<DiffSkillOutput>;
    /**
     * How often skills were used, and what became of the work; for those who may see all work. Needs a token of scope `read`.
     *
     * `GET /skill-stats`
     */
    stats(input?: SkillStatsInput, options?: CallOptions): Promise<SkillStatsOutput>;
    /**
     * Skills that nobody has used for long; for those who may see all work. Needs a token of scope `read`.
     *
     * `GET /stale-skills`
     */
    stale(input?: StaleSkillsInput, options?: CallOptions): Promise<StaleSkillsOutput>;
    /**
     * Approve the proposed version of a skill: foci can use it from then on; for operators. Needs a token of scope `decide`.
     *
     * `POST /skills/{name}/approve`
     */
    approve(name: string, input?: ApproveSkillInput, options?: CallOptions): Promise<ApproveSkillOutput>;
    /**
     * Deny the proposed version of a skill: it is kept and never used; for operators. Needs a token of scope `decide`.
     *
     * `POST /skills/{name}/deny`
     */
    deny(name: string, input?: DenySkillInput, options?: CallOptions): Promise<DenySkillOutput>;
    /**
     * Stop using a skill; its versions stay; for operators. Needs a token of scope `decide`.
     *
     * `POST /skills/{name}/archive`
     */
    archive(name: string, input?: ArchiveSkillInput, options?: CallOptions): Promise<ArchiveSkillOutput>;
  };
  /** Who decided what. */
  readonly audit: {
    /**
     * Decisions and refused calls, oldest first, one per line; for those who may see all work. Needs a token of scope `read`.
     *
     * `GET /audit`
     */
    export(input?: ExportAuditInput, options?: CallOptions): Promise<Response>;
    /**
     * Check the chain of the decisions of each work item; for those who may see all work. Needs a token of scope `read`.
     *
     * `GET /audit/check`
     */
    check(options?: CallOptions): Promise<CheckAuditOutput>;
  };
  /** People and their tokens. */
  readonly people: {
    /**
     * The person of the token, with its role and scopes. Needs a token of scope `read`.
     *
     * `GET /me`
     */
    showMe(options?: CallOptions): Promise<ShowMeOutput>;
    /**
     * The listed people, with their roles; for operators. Needs a token of scope `decide`.
     *
     * `GET /people`
     */
    list(options?: CallOptions): Promise<ListPeopleOutput>;
    /**
     * Add, disable or enable a person, or change their role; for operators, about people who are not operators. Needs a token of scope `decide`.
     *
     * `PUT /people/{name}`
     */
    set(name: string, input?: SetPersonInput, options?: CallOptions): Promise<SetPersonOutput>;
    /**
     * Your tokens, newest first; operators see those of all people. Needs a token of scope `read`.
     *
     * `GET /tokens`
     */
    listTokens(input?: ListTokensInput, options?: CallOptions): List<Token>;
    /**
     * Make a token with at most the rights of yours; operators also for people who are not operators. Needs a token of scope `work`.
     *
     * `POST /tokens`
     */
    createToken(input?: CreateTokenInput, options?: CallOptions): Promise<CreateTokenOutput>;
    /**
     * Revoke a token, and those that were made with it; operators also those of people who are not operators. Needs a token of scope `work`.
     *
     * `DELETE /tokens/{id}`
     */
    revokeToken(id: string, options?: CallOptions): Promise<RevokeTokenOutput>;
  };
  /** Workspaces and their files. */
  readonly workspaces: {
    /**
     * Create a workspace of yours, or find the one of that name. Needs a token of scope `work`.
     *
     * `POST /workspaces`
     */
    create(input: CreateWorkspaceInput, options?: CallOptions): Promise<Workspace>;
    /**
     * Your workspaces and those of conversations in which you take part, newest first. Needs a token of scope `read`.
     *
     * `GET /workspaces`
     */
    list(input?: ListWorkspacesInput, options?: CallOptions): List<Workspace>;
    /**
     * One workspace. Needs a token of scope `read`.
     *
     * `GET /workspaces/{id}`
     */
    show(id: string, options?: CallOptions): Promise<Workspace>;
    /**
     * Rename a workspace of yours. Needs a token of scope `work`.
     *
     * `PATCH /workspaces/{id}`
     */
    rename(id: string, input: RenameWorkspaceInput, options?: CallOptions): Promise<Workspace>;
    /**
     * Delete a workspace of yours that has no conversations. Needs a token of scope `work`.
     *
     * `DELETE /workspaces/{id}`
     */
    delete(id: string, options?: CallOptions): Promise<DeleteWorkspaceOutput>;
    /**
     * The files of a workspace, newest first. Needs a token of scope `read`.
     *
     * `GET /workspaces/{id}/files`
     */
    listFiles(id: string, input?: ListWorkspaceFilesInput, options?: CallOptions): List<WorkspaceFile>;
    /**
     * The content of a file, by its path; supports If-None-Match. Needs a token of scope `read`.
     *
     * `GET /workspaces/{id}/files/content`
     */
    readFile(id: string, input: ReadWorkspaceFileInput, options?: CallOptions): Promise<Response>;
  };
  /** Conversations with a faculty. */
  readonly chats: {
    /**
     * Begin a conversation with a faculty. Needs a token of scope `work`.
     *
     * `POST /workspaces/{id}/chats`
     */
    start(id: string, input: NewChat, options?: CallOptions): Promise<ChatWithPeople>;
    /**
     * The conversations of a workspace in which you take part, newest first. Needs a token of scope `read`.
     *
     * `GET /workspaces/{id}/chats`
     */
    list(id: string, input?: ListChatsInput, options?: CallOptions): List<Chat>;
    /**
     * One conversation, and who takes part. Needs a token of scope `read`.
     *
     * `GET /workspaces/{id}/chats/{chat_id}`
     */
    show(id: string, chatId: string, options?: CallOptions): Promise<ChatWithPeople>;
    /**
     * Change the faculty, the title or the order of a conversation. Needs a token of scope `work`.
     *
     * `PATCH /workspaces/{id}/chats/{chat_id}`
     */
    change(id: string, chatId: string, input?: ChangeChatInput, options?: CallOptions): Promise<ChatWithPeople>;
    /**
     * Delete a conversation; for the person who began it, and operators. Needs a token of scope `work`.
     *
     * `DELETE /workspaces/{id}/chats/{chat_id}`
     */
    delete(id: string, chatId: string, options?: CallOptions): Promise<DeleteChatOutput>;
    /**
     * Say something in a conversation; a work item answers it. Needs a token of scope `work`.
     *
     * `POST /workspaces/{id}/chats/{chat_id}`
     */
    say(id: string, chatId: string, input: NewChatMessage, options?: CallOptions): Promise<SaidMessage>;
    /**
     * Let somebody take part; they see the whole conversation and its work. Needs a token of scope `work`.
     *
     * `POST /workspaces/{id}/chats/{chat_id}/people`
     */
    invite(id: string, chatId: string, input: InviteToChatInput, options?: CallOptions): Promise<InviteToChatOutput>;
    /**
     * Stop somebody from taking part. Needs a token of scope `work`.
     *
     * `DELETE /workspaces/{id}/chats/{chat_id}/people/{actor}`
     */
    remove(id: string, chatId: string, actor: string, options?: CallOptions): Promise<RemoveFromChatOutput>;
    /**
     * The messages of the branch that is shown, in order or the newest first. Needs a token of scope `read`.
     *
     * `GET /workspaces/{id}/chats/{chat_id}/messages`
     */
    listMessages(id: string, chatId: string, input?: ListChatMessagesInput, options?: CallOptions): List<ChatMessage>;
    /**
     * One message, on any branch. Needs a token of scope `read`.
     *
     * `GET /workspaces/{id}/chats/{chat_id}/messages/{message_id}`
     */
    showMessage(id: string, chatId: string, messageId: string, options?: CallOptions): Promise<ChatMessage>;
    /**
     * Delete a message of yours, or an answer: no view and no later context contains it. Needs a token of scope `work`.
     *
     * `DELETE /workspaces/{id}/chats/{chat_id}/messages/{message_id}`
     */
    deleteMessage(
      id: string,
      chatId: string,
      messageId: string,
      options?: CallOptions,
    ): Promise<DeleteChatMessageOutput>;
    /**
     * Replace a message of yours; the new one is answered on a branch of its own. Needs a token of scope `work`.
     *
     * `POST /workspaces/{id}/chats/{chat_id}/messages/{message_id}/edit`
     */
    editMessage(
      id: string,
      chatId: string,
      messageId: string,
      input: EditChatMessageInput,
      options?: CallOptions,
    ): Promise<SaidMessage>;
    /**
     * Ask for another answer to a message, given by its id or that of its answer. Needs a token of scope `work`.
     *
     * `POST /workspaces/{id}/chats/{chat_id}/messages/{message_id}/retry`
     */
    retryMessage(id: string, chatId: string, messageId: string, options?: CallOptions): Promise<SaidMessage>;
    /**
     * The files that came with its messages, oldest first; GET /artifacts/{id} returns their bytes. Needs a token of scope `read`.
     *
     * `GET /workspaces/{id}/chats/{chat_id}/attachments`
     */
    listAttachments(
      id: string,
      chatId: string,
      input?: ListChatAttachmentsInput,
      options?: CallOptions,
    ): List<ChatFile>;
    /**
     * The branch that is shown, as JSON Lines or as Markdown. Needs a token of scope `read`.
     *
     * `GET /workspaces/{id}/chats/{chat_id}/export`
     */
    export(id: string, chatId: string, input?: ExportChatInput, options?: CallOptions): Promise<Response>;
    /**
     * Begin a conversation with the messages of an export. Needs a token of scope `work`.
     *
     * `POST /workspaces/{id}/imports`
     */
    import(id: string, input: ImportChatInput, options?: CallOptions): Promise<ImportChatOutput>;
    /**
     * What is said in a conversation, and everything that happens to its answers, as an event stream; Last-Event-ID resumes after an event. Needs a token of scope `read`.
     *
     * `GET /workspaces/{id}/chats/{chat_id}/events`
     */
    events(id: string, chatId: string, options?: EventOptions): AsyncGenerator<ChatEvent, void>;
  };
  /** Signed requests that tell other servers what happened. */
  readonly webhooks: {
    /**
     * Your webhooks, or all for operators, oldest first. Needs a token of scope `read`.
     *
     * `GET /webhooks`
     */
    list(options?: CallOptions): Promise<ListWebhooksOutput>;
    /**
     * Add a webhook for what you may see; only this answer contains its secret. Needs a token of scope `work`.
     *
     * `POST /webhooks`
     */
    add(input: AddWebhookInput, options?: CallOptions): Promise<NewWebhook>;
    /**
     * One webhook. Needs a token of scope `read`.
     *
     * `GET /webhooks/{id}`
     */
    show(id: string, options?: CallOptions): Promise<Webhook>;
    /**
     * Remove a webhook with all its deliveries. Needs a token of scope `work`.
     *
     * `DELETE /webhooks/{id}`
     */
    remove(id: string, options?: CallOptions): Promise<RemoveWebhookOutput>;
    /**
     * Make a new secret, which only this answer contains; the previous one also signs for some hours. Needs a token of scope `work`.
     *
     * `POST /webhooks/{id}/rotate`
     */
    rotate(id: string, input?: RotateWebhookInput, options?: CallOptions): Promise<NewWebhook>;
    /**
     * Send the event webhook.test through a daemon; GET /webhooks/{id}/deliveries/{delivery_id} shows the result. Needs a token of scope `work`.
     *
     * `POST /webhooks/{id}/test`
     */
    test(id: string, options?: CallOptions): Promise<TestWebhookOutput>;
    /**
     * The deliveries of a webhook that failed for good, newest first. Needs a token of scope `read`.
     *
     * `GET /webhooks/{id}/dead-letters`
     */
    listDeadDeliveries(id: string, input?: ListDeadDeliveriesInput, options?: CallOptions): List<DeadDelivery>;
    /**
     * The state of a delivery; those that arrived are kept for a day. Needs a token of scope `read`.
     *
     * `GET /webhooks/{id}/deliveries/{delivery_id}`
     */
    showDelivery(id: string, deliveryId: string, options?: CallOptions): Promise<Delivery>;
    /**
     * Send the deliveries that failed for good again, or one of them, with the same ids. Needs a token of scope `work`.
     *
     * `POST /webhooks/{id}/retry`
     */
    retryDeliveries(id: string, input?: RetryDeliveriesInput, options?: CallOptions): Promise<RetryDeliveriesOutput>;
  };
}
