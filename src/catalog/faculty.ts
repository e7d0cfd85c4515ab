import type { Isolation } from '../process/runners/runners.ts';
import { type EngageMode, modeOf } from './modes.ts';
import type { OutcomeSchema } from './outcome-schema.ts';

/** A faculty: plain, frozen, JSON-able data (a focus keeps it as its snapshot), every default filled in. */
export interface Faculty {
  readonly name: string;
  readonly description: string;
  /** The file it came from, absolute; relative paths in it start at the file's directory. */
  readonly file: string;
  /** Foci at once across all daemons; null: only the daemons' own limits. */
  readonly maxConcurrent: number | null;
  /** Until when a second item with the same key counts as a duplicate. */
  readonly dedupUntil: 'resolved' | 'claimed';
  /** How long one focus may take, all phases together. */
  readonly runDeadlineSeconds: number;
  /** Memory in MiB that all its commands may use together; null: as `daemon.focus_max_memory_mib` says. */
  readonly maxMemoryMib: number | null;
  /** Processes and threads that all its commands may have together; null: as `daemon.focus_max_processes` says. */
  readonly maxProcesses: number | null;
  /** `directory`: a scratch directory per focus; `worktree`: a git worktree of `repo` in it, where the focus works. */
  readonly isolation: 'directory' | 'none' | 'worktree';
  /** Absolute; null unless the isolation is `worktree`. */
  readonly repo: string | null;
  /** Absolute root of the file tools; null: the focus directory. */
  readonly workspace: string | null;
  readonly orient: PhaseHook | null;
  readonly engage: EngageSettings;
  readonly consolidate: PhaseHook | null;
  readonly recover: RecoverSettings;
  /** What else it was read from or runs, absolute: prompt, schema, hooks, and the arguments of hooks that are files. */
  readonly files: readonly string[];
  /** Where each written value stands, by dotted key below `faculty`: `file:line`; what is missing here is a default. */
  readonly origins: Readonly<Record<string, string>>;
}

/** An executable of the hook protocol. */
export interface PhaseHook {
  /** Absolute where it was written with a slash; else looked up on PATH. */
  readonly command: string;
  readonly args: readonly string[];
  readonly timeoutSeconds: number;
}

export interface EngageSettings {
  /** `external`: the command below does the work, and of the other settings only `bashIsolation` and `outcomeSchema` count. */
  readonly mode: EngageMode;
  /** What does the work in mode `external`, null in the other; missing in the snapshot of a focus that an earlier animus began. */
  readonly external?: PhaseHook | null;
  /** `model` of the default provider, or `provider/model`; empty in mode `external`. */
  readonly model: string;
  /** Asked in this order where the model before fails for a reason that another may not have. */
  readonly fallbackModels: readonly string[];
  /** The text itself, also where it was written as a file. */
  readonly systemPrompt: string;
  /** Names of tools beside the engine's own, in the order written. */
  readonly tools: readonly string[];
  readonly maxTurns: number;
  /** Upper bound of one answer, thinking included. */
  readonly maxTokens: number;
  readonly temperature: number | null;
  readonly thinkingBudgetTokens: number | null;
  readonly reasoningEffort: 'minimal' | 'low' | 'medium' | 'high' | null;
  readonly stop: readonly string[];
  /** 1: one after the other. */
  readonly maxParallelTools: number;
  readonly toolTimeoutSeconds: number;
  /** A model's answer that brings nothing for this long is given up. */
  readonly streamIdleSeconds: number;
  /** Null: the best this host can do. */
  readonly bashIsolation: Isolation | null;
  /** What the outcome must conform to, the schema itself; null: the final text is the outcome. */
  readonly outcomeSchema: OutcomeSchema | null;
  /** Share of the context window at which the history is compacted to the ledger. */
  readonly compactThreshold: number;
  /** Messages that a compaction keeps verbatim. */
  readonly compactKeepRecent: number;
  /** Turns without a ledger entry after which the model is reminded; 0: never. */
  readonly ledgerNudgeInterval: number;
  /** Closed blocks become stubs. */
  readonly truncateClosedBlocks: boolean;
}

interface RecoverSettings {
  /** Attempts in all, the first included. */
  readonly maxAttempts: number;
  readonly backoff: 'exponential' | 'fixed';
  /** Delay before the second attempt; doubled for each further one where exponential. */
  readonly baseSeconds: number;
  readonly maxSeconds: number;
  /** Decides after each failure, within maxAttempts; null: the policy above. */
  readonly hook: PhaseHook | null;
}

/** The models a faculty asks, in order; none where its mode asks no model. */
export function modelChain({ mode, model, fallbackModels }: EngageSettings): readonly string[] {
  return asksModel({ mode }) ? [model, ...fallbackModels] : [];
}

/** True where a model does the work, not a command. */
export function asksModel({ mode }: Pick<EngageSettings, 'mode'>): boolean {
  return modeOf(mode).needs === 'model';
}
