// Written by `npm run client` from the OpenAPI document. Do not edit.

/** What the routes of this group take and answer. */

import type { CallOptions } from '../options.ts';

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
  /** How the search found it; null without a query: it is one of the newest. */
  readonly found_by: 'words' | 'meaning' | 'both' | null;
  readonly source_item: string | null;
  /** Others of its place with nearly the same words, at most three: other facts, or the same one. */
  readonly alike: readonly {
    readonly id: string;
    readonly content: string;
    readonly updated_at: string;
  }[];
}

export interface MemoryMerge {
  /** The memory that was merged. */
  readonly id: string;
  readonly into_id: string;
  readonly reason: 'same_text' | 'asked' | 'similar';
  readonly actor: string | null;
  readonly work_item_id: string | null;
  readonly merged_at: string;
  readonly layer: 'task' | 'project' | 'global';
  readonly project: string | null;
  readonly kind: string;
  /** Of the memory that was merged. */
  readonly content: string;
  /** What is found instead. */
  readonly into_content: string;
  readonly submitted_by: string | null;
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

export interface SearchMemoriesInput {
  /** A question, or words; "several words" are a phrase, -word excludes. */
  readonly query?: string | undefined;
  /** Not by meaning: the query is sent to no provider. */
  readonly words_only?: string | undefined;
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
  /** At most this many. */
  readonly limit?: number | undefined;
}

export interface SearchMemoriesOutput {
  readonly items: readonly Memory[];
  /** Embeddings were also compared. */
  readonly by_meaning: boolean;
  /** Why they were not; null if they were, or without a query. */
  readonly without_meaning: string | null;
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
  /** The same text was already stored. */
  readonly merged: boolean;
}

export interface UpdateMemoryInput {
  readonly content?: string | undefined;
  /** A memory of the same place that says the same thing: it becomes part of this one. */
  readonly merge?: string | undefined;
  /** Such as fact, preference, procedure, lesson; default fact. */
  readonly kind?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface UpdateMemoryOutput {
  /** Another one, if it was merged into that. */
  readonly id: string;
  /** What is part of it from now on: `merge`, and one that had the same text. */
  readonly merged: readonly string[];
}

export interface ForgetMemoryInput {
  /** Why; it is recorded. */
  readonly reason: string;
  /** Also of tool calls, answers and messages of ended work that stored or found it; for operators. */
  readonly redact?: string | undefined;
}

export interface ForgetMemoryOutput {
  readonly id: string;
  /** Null: not asked for. */
  readonly redacted: {
    /** How many were changed. */
    readonly records: number;
    /** In how many work items. */
    readonly items: number;
    /** Work that has not ended: its records stay until it is redacted again. */
    readonly still_open: readonly string[];
  } | null;
}

export interface MemoryMergesInput {
  /** At most this many. */
  readonly limit?: number | undefined;
}

export interface MemoryMergesOutput {
  readonly items: readonly MemoryMerge[];
}

export interface UnmergeMemoryOutput {
  readonly id: string;
  /** The memory that it was part of. */
  readonly into_id: string;
}

export interface MemoryStatsOutput {
  readonly layers: {
    readonly task: MemoryStats;
    readonly project: MemoryStats;
    readonly global: MemoryStats;
  };
  /** Of the current model; null: no daemon has run with one. */
  readonly embeddings: unknown;
}

/** The methods `client.memory`. */
export interface MemoryMethods {
  /**
   * Find memories by words and by meaning, best first; without a query the newest. Needs a token of scope `read`.
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
   * Change a memory, or merge another one into it. Needs a token of scope `work`.
   *
   * `PATCH /memories/{id}`
   */
  update(id: string, input?: UpdateMemoryInput, options?: CallOptions): Promise<UpdateMemoryOutput>;
  /**
   * Delete a memory with its history, and with `redact` its text in the records of ended work that stored or found it. Needs a token of scope `work`.
   *
   * `DELETE /memories/{id}`
   */
  forget(id: string, input: ForgetMemoryInput, options?: CallOptions): Promise<ForgetMemoryOutput>;
  /**
   * Merges of memories that can be undone, newest first. Needs a token of scope `read`.
   *
   * `GET /memory-merges`
   */
  merges(input?: MemoryMergesInput, options?: CallOptions): Promise<MemoryMergesOutput>;
  /**
   * Undo a merge: the memory is found again. Needs a token of scope `work`.
   *
   * `DELETE /memory-merges/{id}`
   */
  unmerge(id: string, options?: CallOptions): Promise<UnmergeMemoryOutput>;
  /**
   * How many memories each layer has, and the state of their embeddings; for those who may see all work. Needs a token of scope `read`.
   *
   * `GET /memory-stats`
   */
  stats(options?: CallOptions): Promise<MemoryStatsOutput>;
}
