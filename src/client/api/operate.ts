// Written by `npm run client` from the OpenAPI document. Do not edit.

/** What the routes of this group take and answer. */

import type { CallOptions } from '../options.ts';
import type { WorkState } from './shared.ts';

export interface Activity {
  /** The beginning of the interval, UTC. */
  readonly at: string;
  /** With `by_faculty`; otherwise null. */
  readonly faculty: string | null;
  readonly submitted: number;
  readonly completed: number;
  readonly dead: number;
  readonly cancelled: number;
  readonly merged: number;
  /** From submission to end, of what ended in it; within a tenth. */
  readonly p50_seconds: number | null;
  readonly p95_seconds: number | null;
  readonly usd: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
}

export interface FacultyProblem {
  readonly faculty: string;
  /** `sandbox`: no container for its code; `held`: its work cannot begin; `claims`: nothing of it can be claimed. */
  readonly kind: 'sandbox' | 'held' | 'claims';
  readonly problem: string;
  readonly since: string | null;
  /** When it is tried again. */
  readonly until: string | null;
  /** Null: every daemon. */
  readonly daemon_id: string | null;
  readonly host: string | null;
}

export interface Daemon {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  /** It has not stopped, and was seen within the last two minutes. */
  readonly alive: boolean;
  readonly started_at: string;
  /** It reports every 30 seconds at least. */
  readonly seen_at: string;
  readonly stopped_at: string | null;
  /** Since when it claims no more work, because it ends. */
  readonly ending_at: string | null;
  /** How many items it works on at once at most. */
  readonly slots: number;
  /** On how many it works. */
  readonly working: number;
  /** It claims nothing until one of them ends. */
  readonly saturated: boolean;
  readonly faculties: readonly string[];
  /** As it has reported them, such as faculty files that it could not read. */
  readonly problems: readonly string[];
  /** When its event loop was last blocked for a second or more. */
  readonly blocked_at: string | null;
  readonly blocked_seconds: number | null;
  /** How often it was. */
  readonly blocks: number;
}

export interface Status {
  readonly at: string;
  readonly count_cap: number;
  /** States whose count is a lower bound. */
  readonly capped: readonly WorkState[];
  /** Ended work of the last 24 hours; dead work for as long as it exists. */
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
  readonly waiting: readonly WaitingStatus[];
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
    /** Null: the cost of no call is known. */
    readonly cost_usd: number | null;
    /** Calls whose cost is not known, which the sum does not include. */
    readonly unpriced_calls: number;
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
    /** Seen within the last two minutes; it reports every 30 seconds at least. */
    readonly alive: boolean;
    /** When the last lease of its work ends; null: it has no work. */
    readonly lease_until?: string | null | undefined;
    /** When its event loop was last blocked for a second or more; null: never. */
    readonly blocked_at?: string | null | undefined;
    /** For how long it was. */
    readonly blocked_seconds?: number | null | undefined;
    /** How often it was. */
    readonly blocks?: number | undefined;
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
    /** Null: the cost of no call is known. */
    readonly usd: number | null;
    /** Calls and lost requests whose cost is not known, which the sum does not include. */
    readonly unpriced_calls: number;
    /** Of the sum: answers whose tokens the provider did not count. */
    readonly estimated_usd: number;
    /** Of the sum: requests that returned nothing, and may have cost that. */
    readonly lost_usd: number;
    /** Requests that returned nothing, which are not calls. */
    readonly lost_requests: number;
    /** Null: those of no call were counted. */
    readonly input_tokens: number | null;
    /** Null: those of no call were counted. */
    readonly output_tokens: number | null;
    /** Calls whose tokens nobody counted, which the sums do not include. */
    readonly uncounted_calls: number;
    readonly calls: number;
    /** Runs of code without a model, which are not calls. */
    readonly code_runs: number;
  }[];
  /** Existing directories of worktrees, by host. */
  readonly worktrees: readonly {
    readonly host: string;
    readonly kept: number;
    /** Work goes on in them. */
    readonly open: number;
    /** Kept, with something that is not on any branch. */
    readonly held: number;
    /** As far as they were counted. */
    readonly bytes: number;
    /** Discarded, and not yet removed by the daemon of the host. */
    readonly discarding: number;
  }[];
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
    readonly overlap: 'allow' | 'skip' | 'queue';
    /** Runs that were skipped since its last item began, counted up to 1,000. */
    readonly skipped: number;
    /** Its newest item that has not ended; null: none, or runs may overlap. */
    readonly open_item: string | null;
  }[];
  /** What waits for people: how many, and the ten oldest. */
  readonly asks: {
    readonly waiting: number;
    readonly first: readonly {
      readonly work_item_id: string | null;
      readonly faculty: string;
      readonly ask_id: string;
      readonly call_id: string | null;
      readonly kind: string;
      readonly subject: string;
      readonly tool: string | null;
      readonly shown: string;
      readonly asked_at: string;
      readonly deadline: string | null;
      /** How many work items wait for the same limit; 1 for anything else. */
      readonly items: number;
    }[];
  };
  /** Limits of which at least 80 % is used. */
  readonly budgets: readonly {
    readonly scope: string;
    /** The id of the item or root, the name of the faculty, or empty. */
    readonly subject: string;
    readonly unit: string;
    readonly period: string;
    /** Of its day or month. */
    readonly ends: string | null;
    readonly amount: number;
    readonly spent: number;
    /** For turns under way: their highest cost. */
    readonly held: number;
    /** Both. */
    readonly used: number;
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
  /** How many skills no work has used for that many days. */
  readonly stale_skills?:
    | {
        readonly count: number;
        readonly days: number;
      }
    | undefined;
  /** Numbers of deliveries stop at 1,000. */
  readonly webhooks: {
    /** Deliveries that failed permanently. */
    readonly dead: number;
    /** Deliveries that no daemon sends. */
    readonly late: number;
    /** Webhooks whose new deliveries become dead letters, because too many wait. */
    readonly full: number;
    /** Webhooks whose events are lost, because too many wait. */
    readonly dropping: number;
  };
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
}

export interface WaitingStatus {
  readonly faculty: string;
  readonly state: WorkState;
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
  readonly items: number;
  /** The one that has waited longest, as `why` and `ends`. */
  readonly work_item_id: string;
  /** For people, such as `writer is paused by olga`. */
  readonly why: string;
  /** What ends it, for people, such as `an operator resumes writer`, and what happens at `until` otherwise. */
  readonly ends: string;
  readonly since: string;
  readonly until: string | null;
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

export interface Budget {
  readonly scope: string;
  readonly subject: string | null;
  readonly period: string;
  readonly unit: 'usd' | 'tokens';
  /** What counts now. */
  readonly amount: number;
  /** Without what was approved; null: only that was set. */
  readonly base: number | null;
  /** What is spent and what is held; null: a limit of each item of a faculty. */
  readonly used: number | null;
  readonly spent: number | null;
  /** For turns under way: their highest cost. */
  readonly held: number | null;
  /** Of what is spent: answers whose tokens the provider did not count; null for tokens. */
  readonly estimated: number | null;
  /** Of what is spent: requests that returned nothing; of tokens, also answers without counts. */
  readonly lost: number | null;
  readonly on_exceeded: 'wait' | 'die' | null;
  readonly origin: 'file' | 'operator' | 'submitter' | 'extension';
  readonly set_by: string;
  readonly set_at: string;
  readonly expires_at: string | null;
}

export interface ShowActivityInput {
  /** The length of an interval. */
  readonly by?: 'minute' | 'hour' | 'day' | undefined;
  /** Default: 60 minutes, 24 hours or 30 days before `until`. */
  readonly since?: string | undefined;
  /** Default: now. */
  readonly until?: string | undefined;
  /** Only these faculties. */
  readonly faculty?: readonly string[] | undefined;
  /** A row for each faculty in which something has happened. */
  readonly by_faculty?: string | undefined;
}

export interface ShowActivityOutput {
  readonly items: readonly Activity[];
  /** Of the last moments not all could be counted, because no daemon adds them up. */
  readonly partial: boolean;
}

export interface ListFacultiesOutput {
  readonly items: readonly {
    readonly name: string;
    /** What it is for, as its file says; may be empty. */
    readonly description: string;
    /** Who does its work: builtin (a model), external (a command) or code. */
    readonly mode: string;
    /** The JSON Schema of `params` of its work; null: any object, which its agent reads beside the description. */
    readonly params_schema: Readonly<Record<string, unknown>> | null;
    /** The JSON Schema of its outcomes (`outcome.result`); null: they have no fixed form. */
    readonly outcome_schema: Readonly<Record<string, unknown>> | null;
    /** How many serve it. */
    readonly daemons: number;
    /** For those who may see all work. */
    readonly hosts: readonly string[] | null;
    /** How many of the daemons can start the containers that mode code needs, as far as they know. */
    readonly able: number;
    /** Why one cannot; for those who may see all work. */
    readonly problem: string | null;
  }[];
}

export interface ShowFacultyOutput {
  readonly name: string;
  /** What it is for, as its file says; may be empty. */
  readonly description: string;
  /** Who does its work: builtin (a model), external (a command) or code. */
  readonly mode: string;
  /** The JSON Schema of `params` of its work; null: any object, which its agent reads beside the description. */
  readonly params_schema: Readonly<Record<string, unknown>> | null;
  /** The JSON Schema of its outcomes (`outcome.result`); null: they have no fixed form. */
  readonly outcome_schema: Readonly<Record<string, unknown>> | null;
  readonly daemons: readonly {
    /** Of animus. */
    readonly version: string;
    /** For those who may see all work. */
    readonly host: string | null;
    readonly settings: Readonly<Record<string, unknown>>;
  }[];
}

export interface ListFacultyProblemsOutput {
  readonly items: readonly FacultyProblem[];
}

export interface ListDaemonsOutput {
  readonly items: readonly Daemon[];
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
  /** What to look at, for people: such as a faculty that no running daemon serves. */
  readonly warning?: string | undefined;
}

export interface ResumeOutput {
  readonly faculty: string;
  /** False: it was not paused. */
  readonly resumed: boolean;
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

export interface ListBudgetsOutput {
  readonly items: readonly Budget[];
}

export interface SetBudgetInput {
  /** What is limited. */
  readonly scope: 'item' | 'root' | 'faculty' | 'appliance';
  /** The id of a work item, or the name of a faculty: with `item` and `root`, each of its items; none for the appliance. */
  readonly subject?: string | undefined;
  /** In UTC; items and roots have none. */
  readonly period?: 'none' | 'day' | 'month' | undefined;
  readonly unit: 'usd' | 'tokens';
  /** Above 0: to stop work, pause it. */
  readonly amount: number;
  readonly on_exceeded?: 'wait' | 'die' | undefined;
}

export interface SetBudgetOutput {
  readonly scope: string;
  readonly subject: string | null;
  readonly period: string;
  readonly unit: 'usd' | 'tokens';
  /** What to look at, for people: such as a faculty that no running daemon serves. */
  readonly warning?: string | undefined;
}

export interface RemoveBudgetInput {
  /** What is limited. */
  readonly scope: 'item' | 'root' | 'faculty' | 'appliance';
  /** The id of a work item, or the name of a faculty: with `item` and `root`, each of its items; none for the appliance. */
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
  /** The first day; default: the first of 30. */
  readonly since?: string | undefined;
  /** The day after the last. */
  readonly until?: string | undefined;
  /** A list of day, month, faculty, provider, model, operation, submitter, source. */
  readonly by?: string | undefined;
  /** At most this many. */
  readonly limit?: number | undefined;
}

export interface SpendOutput {
  readonly rows: readonly {
    readonly day: string | null;
    readonly month: string | null;
    readonly faculty: string | null;
    readonly provider: string | null;
    readonly model: string | null;
    readonly operation: string | null;
    readonly submitter: string | null;
    readonly source: string | null;
    /** Null: the cost of no call is known. */
    readonly usd: number | null;
    /** Calls and lost requests whose cost is not known, which the sum does not include. */
    readonly unpriced_calls: number;
    /** Of the sum: answers whose tokens the provider did not count. */
    readonly estimated_usd: number;
    /** Of the sum: requests that returned nothing, and may have cost that. */
    readonly lost_usd: number;
    /** Null: those of no call were counted. */
    readonly input_tokens: number | null;
    /** Null: those of no call were counted. */
    readonly output_tokens: number | null;
    /** Calls whose tokens nobody counted, which the sums do not include. */
    readonly uncounted_calls: number;
    readonly calls: number;
    /** Requests that returned nothing, which are not calls. */
    readonly lost_requests: number;
    /** Runs of code without a model, which are not calls. */
    readonly code_runs: number;
  }[];
  readonly total: {
    /** Null: the cost of no call is known. */
    readonly usd: number | null;
    /** Calls and lost requests whose cost is not known, which the sum does not include. */
    readonly unpriced_calls: number;
    /** Of the sum: answers whose tokens the provider did not count. */
    readonly estimated_usd: number;
    /** Of the sum: requests that returned nothing, and may have cost that. */
    readonly lost_usd: number;
    /** Null: those of no call were counted. */
    readonly input_tokens: number | null;
    /** Null: those of no call were counted. */
    readonly output_tokens: number | null;
    /** Calls whose tokens nobody counted, which the sums do not include. */
    readonly uncounted_calls: number;
    readonly calls: number;
    /** Requests that returned nothing, which are not calls. */
    readonly lost_requests: number;
    /** Runs of code without a model, which are not calls. */
    readonly code_runs: number;
    readonly groups: number;
  };
}

export interface SpendItemsInput {
  /** The first day; default: the first of 30. */
  readonly since?: string | undefined;
  /** The day after the last. */
  readonly until?: string | undefined;
  /** By cost, or by time. */
  readonly order?: 'dearest' | 'slowest' | undefined;
  /** At most this many. */
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
    /** Null: the cost of no call is known. */
    readonly usd: number | null;
    /** Calls and lost requests whose cost is not known, which the sum does not include. */
    readonly unpriced_calls: number;
    /** Of the sum: answers whose tokens the provider did not count. */
    readonly estimated_usd: number;
    /** Of the sum: requests that returned nothing, and may have cost that. */
    readonly lost_usd: number;
    /** Null: those of no call were counted. */
    readonly input_tokens: number | null;
    /** Null: those of no call were counted. */
    readonly output_tokens: number | null;
    /** Calls whose tokens nobody counted, which the sums do not include. */
    readonly uncounted_calls: number;
    readonly created_at: string;
    readonly resolved_at: string | null;
    /** From its submission to its end, or until now. */
    readonly elapsed_ms: number;
    /** In which it was worked on. */
    readonly worked_ms: number;
  }[];
}

export interface SpendRootsInput {
  /** The first day; default: the first of 30. */
  readonly since?: string | undefined;
  /** The day after the last. */
  readonly until?: string | undefined;
  /** At most this many. */
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
    /** Null: the cost of no call is known. */
    readonly usd: number | null;
    /** Calls and lost requests whose cost is not known, which the sum does not include. */
    readonly unpriced_calls: number;
    /** Of the sum: answers whose tokens the provider did not count. */
    readonly estimated_usd: number;
    /** Of the sum: requests that returned nothing, and may have cost that. */
    readonly lost_usd: number;
    /** Null: those of no call were counted. */
    readonly input_tokens: number | null;
    /** Null: those of no call were counted. */
    readonly output_tokens: number | null;
    /** Calls whose tokens nobody counted, which the sums do not include. */
    readonly uncounted_calls: number;
    readonly created_at: string;
    readonly resolved_at: string | null;
    readonly items: number;
  }[];
}

/** The methods `client.operate`. */
export interface OperateMethods {
  /**
   * What was submitted, has ended and was spent in each minute, hour or day of a period, without a scan. Needs a token of scope `read`.
   *
   * `GET /activity`
   */
  showActivity(input?: ShowActivityInput, options?: CallOptions): Promise<ShowActivityOutput>;
  /**
   * The faculties that running daemons serve: what each is for, its inputs and its outcome. Needs a token of scope `read`.
   *
   * `GET /faculties`
   */
  listFaculties(options?: CallOptions): Promise<ListFacultiesOutput>;
  /**
   * What a faculty is for, its inputs and its outcome, and its settings, as running daemons have read them. Needs a token of scope `read`.
   *
   * `GET /faculties/{name}`
   */
  showFaculty(name: string, options?: CallOptions): Promise<ShowFacultyOutput>;
  /**
   * What is wrong with faculties, as running daemons have reported it; for those who may see all work. Needs a token of scope `read`.
   *
   * `GET /faculty-problems`
   */
  listFacultyProblems(options?: CallOptions): Promise<ListFacultyProblemsOutput>;
  /**
   * The daemons with their load and their problems, also those that stopped in the last hour; for those who may see all work. Needs a token of scope `read`.
   *
   * `GET /daemons`
   */
  listDaemons(options?: CallOptions): Promise<ListDaemonsOutput>;
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
   * The models that animus knows, with context windows, prices and abilities. Needs a token of scope `read`.
   *
   * `GET /models`
   */
  listModels(input?: ListModelsInput, options?: CallOptions): Promise<ListModelsOutput>;
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
   * What model calls cost in a period of UTC days, by faculty and model or as `by` says. Needs a token of scope `read`.
   *
   * `GET /spend`
   */
  spend(input?: SpendInput, options?: CallOptions): Promise<SpendOutput>;
  /**
   * The work items of a period that cost most or took longest. Needs a token of scope `read`.
   *
   * `GET /spend/items`
   */
  spendItems(input?: SpendItemsInput, options?: CallOptions): Promise<SpendItemsOutput>;
  /**
   * The root items of a period, each with the sum of all its child work, the most expensive first. Needs a token of scope `read`.
   *
   * `GET /spend/roots`
   */
  spendRoots(input?: SpendRootsInput, options?: CallOptions): Promise<SpendRootsOutput>;
}
