// Written by `npm run client` from the OpenAPI document. Do not edit.

/** What the routes of this group take and answer. */

import type { List } from '../list.ts';
import type { CallOptions } from '../options.ts';

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
  /** Null: not known. */
  readonly cost_usd: number | null;
  readonly begun_at: string;
  readonly recorded_at: string | null;
  readonly duration_ms: number | null;
}

export interface SentRequest {
  readonly focus_id: string;
  readonly turn: number;
  readonly provider: string | null;
  /** That answered; null: none has yet. */
  readonly model: string | null;
  /** Of the request, as the provider counted them. */
  readonly input_tokens: number | null;
  /** For those who may see all work. */
  readonly system_prompt: string | null;
  /** Names, descriptions and schemas; for those who may see all work. */
  readonly tools: unknown;
  /** In the order in which they were sent. */
  readonly blocks: readonly SentBlock[];
  /** Earlier turns of which nothing but a stub or a summary was sent; `by`: the index of that block. */
  readonly replaced: readonly {
    readonly turn: number;
    readonly tokens: number;
    readonly by: number | null;
  }[];
}

export interface SentBlock {
  readonly role: 'user' | 'assistant';
  /** `answer` of a model, `results` of its calls, or the kind of a message of the engine. */
  readonly kind: string;
  /** Of an answer and its results; of a message, the turn after which it was written. */
  readonly turn: number;
  /** Its content blocks; of files only the names. */
  readonly content: unknown;
  /** By estimate, without files. */
  readonly tokens: number;
  /** Of a stub or a summary: the turns that it stands for. */
  readonly replaces: {
    readonly from: number;
    readonly to: number;
  } | null;
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

export interface TimelineTurn {
  readonly focus_id: string;
  readonly turn: number;
  readonly provider: string | null;
  readonly model: string | null;
  readonly stop_reason: string | null;
  readonly begun_at: string;
  readonly recorded_at: string | null;
  readonly duration_ms: number | null;
  /** Of the request, with what was cached. */
  readonly input_tokens: number | null;
  readonly cache_read_tokens: number | null;
  readonly cache_write_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cost_usd: number | null;
  readonly calls: readonly {
    readonly call_id: string;
    readonly parent_call_id: string | null;
    readonly position: number;
    readonly name: string;
    readonly state: string;
    readonly is_error: boolean | null;
    readonly started_at: string | null;
    readonly ended_at: string | null;
  }[];
}

export interface Mail {
  readonly id: string;
  readonly author: string;
  readonly author_is: 'operator' | 'submitter' | 'participant' | 'duplicate';
  readonly text: string;
  readonly wake: boolean;
  /** The item that was merged, of a duplicate; null also where that is work of somebody else. */
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
  /** The child items that are waited for, and of merged ones the items that do their work, without work of others. */
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
  readonly spent: number;
  /** For turns under way: their highest cost. */
  readonly held: number;
  /** Both. */
  readonly used: number;
  readonly left: number;
  readonly on_exceeded: 'wait' | 'die';
}

export interface ListMailInput {
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** At most this many. */
  readonly limit?: number | undefined;
}

export interface ReadLedgerInput {
  /** Only entries of this type. */
  readonly type?: 'plan' | 'finding' | 'decision' | 'step' | 'error' | 'note' | undefined;
  /** The `next` of the page before, or the `seq` of an entry. */
  readonly after?: number | undefined;
  /** At most this many. */
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
  /** At most this many. */
  readonly limit?: number | undefined;
}

export interface ShowTurnInput {
  /** The focus of the turn; default: the newest one that has a turn of this number. */
  readonly focus_id?: string | undefined;
}

export interface ShowTurnRequestInput {
  /** The focus of the turn; default: the newest one that has a turn of this number. */
  readonly focus_id?: string | undefined;
}

export interface ShowToolCallInput {
  /** The focus of the turn; default: the newest one that has a turn of this number. */
  readonly focus_id?: string | undefined;
}

export interface ShowTimelineInput {
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** At most this many. */
  readonly limit?: number | undefined;
}

export interface ListToolCallsInput {
  /** Whole outputs; otherwise their first 2,000 characters. */
  readonly full?: string | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** At most this many. */
  readonly limit?: number | undefined;
}

export interface ListContextInput {
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** At most this many. */
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

/** The methods `client.record`. */
export interface RecordMethods {
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
   * One turn of an item: the answer of the model. Needs a token of scope `read`.
   *
   * `GET /work/{id}/turns/{turn}`
   */
  showTurn(id: string, turn: number, input?: ShowTurnInput, options?: CallOptions): Promise<Turn>;
  /**
   * What the model was sent for a turn, as blocks, and which turns compaction has replaced. Needs a token of scope `read`.
   *
   * `GET /work/{id}/turns/{turn}/request`
   */
  showTurnRequest(id: string, turn: number, input?: ShowTurnRequestInput, options?: CallOptions): Promise<SentRequest>;
  /**
   * One tool call of an item, whole. Needs a token of scope `read`.
   *
   * `GET /work/{id}/turns/{turn}/calls/{call_id}`
   */
  showToolCall(
    id: string,
    turn: number,
    callId: string,
    input?: ShowToolCallInput,
    options?: CallOptions,
  ): Promise<ToolCall>;
  /**
   * The turns of an item with their calls, without their contents, oldest first. Needs a token of scope `read`.
   *
   * `GET /work/{id}/timeline`
   */
  showTimeline(id: string, input?: ShowTimelineInput, options?: CallOptions): List<TimelineTurn>;
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
}
