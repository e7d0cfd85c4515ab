import type { CacheTtl, Effort, ServiceTier } from '../../core/config/providers/model-words.ts';
import type { ProviderOfModel } from '../../core/config/providers/provider-identity.ts';
import type { Budget } from '../../core/config/sections/budget.ts';
import type { Permissions } from '../../core/permissions/permissions.ts';
import type { Isolation } from '../../process/runners/runners.ts';
import type { AwarenessSettings } from './awareness.ts';
import type { InstructionSettings } from './instructions.ts';
import type { LoopHooks } from './loop-hooks.ts';
import type { McpServer } from './mcp-server.ts';
import { type EngageMode, modeOf } from './modes.ts';
import type { OutcomeSchema } from './outcome-schema.ts';
import type { PackageManager } from './package-caches.ts';
import type { PhaseHook } from './phase-hook.ts';
import type { SkillSettings } from './skill-settings.ts';

/** A faculty: plain, frozen, JSON-compatible data with all defaults. A focus stores it as its snapshot. */
export interface Faculty {
  readonly name: string;
  readonly description: string;
  /** The absolute path of its file. Relative paths in it start at the file's directory. */
  readonly file: string;
  /** How many foci run at once, across all daemons; null: limited by the daemons only. */
  readonly maxConcurrent: number | null;
  /** How many items a daemon claims beyond its free slots; missing: as many as its pace asks for. */
  readonly prefetch?: number;
  /** The state of an item until which a second one with the same key is a duplicate. */
  readonly dedupUntil: 'resolved' | 'claimed';
  /** What else happens to a duplicate when it merges: its focus is told of it, or nothing. */
  readonly onDuplicate: 'merge' | 'tell';
  /** The time limit of one focus, all phases together. */
  readonly runDeadlineSeconds: number;
  /** Memory in MiB that all its commands may use in total; null: `daemon.focus_max_memory_mib`. */
  readonly maxMemoryMib: number | null;
  /** Processes and threads that all its commands may have in total; null: `daemon.focus_max_processes`. */
  readonly maxProcesses: number | null;
  /** `directory`: a scratch directory per focus; `worktree`: the focus works in a git repository of the item, made from `repo`. */
  readonly isolation: 'directory' | 'none' | 'worktree';
  /** Absolute; null unless the isolation is `worktree`. */
  readonly repo: string | null;
  /** What becomes of files that are uncommitted at the end of completed work in a worktree; missing in snapshots of earlier versions: `rest`. */
  readonly commit?: 'rest' | 'none';
  /** Absolute root of the file tools; null: the focus directory. */
  readonly workspace: string | null;
  /** Package managers whose caches its foci share on each host; missing in snapshots of earlier versions: none. */
  readonly caches?: readonly PackageManager[];
  readonly orient: PhaseHook | null;
  /** Files of the workspace that go into the first message; missing in snapshots of earlier versions: none. */
  readonly instructions?: InstructionSettings;
  readonly engage: EngageSettings;
  /** Servers whose tools it may call; missing in snapshots of earlier versions of animus. */
  readonly mcp?: readonly McpServer[];
  /** The container in which `bash` runs its commands; null, and missing in snapshots of earlier versions: they run on the host. */
  readonly bashContainer?: BashContainer | null;
  readonly consolidate: PhaseHook | null;
  /** Whether its foci may write skills; missing in snapshots of earlier versions: no. */
  readonly skillCreation?: SkillCreation;
  readonly recover: RecoverSettings;
  /** Hooks in the loop of turns; missing in snapshots of earlier versions: none. */
  readonly hooks?: LoopHooks;
  /** Which calls may run; missing in snapshots of earlier versions, which are not asked: the loaded faculty decides. */
  readonly permissions?: Permissions;
  /** Which child work it may spawn; missing: none. */
  readonly children?: ChildSettings;
  /** What its foci learn about other work; missing in snapshots of earlier versions: nothing. */
  readonly awareness?: AwarenessSettings;
  /** Which skills its foci use; missing in snapshots of earlier versions: none. */
  readonly skills?: SkillSettings;
  /** Limits of what its work may cost; missing in snapshots of earlier versions: none. */
  readonly budget?: Budget;
  /** What else it was read from or runs, absolute: prompt, schema, hooks, and the arguments of hooks that are files. */
  readonly files: readonly string[];
  /** Where each value is written, `file:line` by dotted key below `faculty`. Missing keys have their default. */
  readonly origins: Readonly<Record<string, string>>;
}

/**
 * `ask`: what a focus writes is proposed, and an operator decides. `auto`: it is current at once, if the submitter of the work may see all work; otherwise
 * as `ask`, because a skill is for everybody.
 */
export type SkillCreation = 'no' | 'ask' | 'auto';

/** What `[faculty.children]` allows. */
export interface ChildSettings {
  /** The faculties that may be spawned; at least one. */
  readonly faculties: readonly string[];
  /** Children of one item, ended ones included. */
  readonly maxChildren: number;
  /** Levels of child work below the root of a tree; at most 5. */
  readonly maxDepth: number;
}

/** `[faculty.bash]` with `isolation = "container"`. */
export interface BashContainer {
  readonly image: string;
  /** Memory in MiB; null: as much as its commands may use on a host. */
  readonly memoryMib: number | null;
  /** Processors; fractions are allowed. */
  readonly cpus: number;
  /** Processes and threads; null: as many as its commands may have on a host. */
  readonly pids: number | null;
  /** Hosts that it may reach through the proxy, as written (`parseEgressHost`); empty: nothing. */
  readonly network: readonly string[];
}

export interface EngageSettings {
  /**
   * `external`: the command below does the work, and of the other settings only `bashIsolation` and `outcomeSchema` apply. `code`: the work is to run
   * the item's code; `tools` and their settings are for that.
   */
  readonly mode: EngageMode;
  /** The command of mode `external`; null in the other modes; missing in snapshots of earlier versions of animus. */
  readonly external?: PhaseHook | null;
  /** `model` of the default provider, or `provider/model`; empty in the other modes. */
  readonly model: string;
  /** Called in this order, each when the model before it fails for a reason that may not affect another model. */
  readonly fallbackModels: readonly string[];
  /**
   * By each of these names, the provider that it means, as the configuration has it: added when a daemon loads the faculty, so that a focus keeps to its
   * providers, whatever their names mean later. Missing in snapshots of earlier versions of animus.
   */
  readonly providers?: Readonly<Record<string, ProviderOfModel>>;
  /** The text itself, also if it was given as a file. */
  readonly systemPrompt: string;
  /** Names of tools in addition to the engine's own, in the order written. */
  readonly tools: readonly string[];
  readonly maxTurns: number;
  /** Upper bound of one answer, thinking included. */
  readonly maxTokens: number;
  readonly temperature: number | null;
  readonly thinkingBudgetTokens: number | null;
  /** How much the model thinks; null: the provider's default. `reasoning_effort` is its earlier name. */
  readonly effort: Effort | null;
  /** Null: the provider's default. */
  readonly serviceTier: ServiceTier | null;
  /** How long the provider keeps cached prefixes; null: its default. */
  readonly cacheTtl: CacheTtl | null;
  readonly stop: readonly string[];
  /** True: turns are asked in batches, at half the price; missing in snapshots of earlier versions of animus. */
  readonly batch: boolean;
  /** 1: sequentially. */
  readonly maxParallelTools: number;
  readonly toolTimeoutSeconds: number;
  /** A model call fails when its stream sends nothing for this long. */
  readonly streamIdleSeconds: number;
  /** Of what runs on the host: `bash` without a container, hooks, servers. Null: the strongest isolation that this host supports. */
  readonly bashIsolation: Isolation | null;
  /** The JSON Schema of the outcome; null: the final text is the outcome. */
  readonly outcomeSchema: OutcomeSchema | null;
  /** True: models that support it are made to conform to the schema. False: only animus checks the outcome. */
  readonly structuredOutputs: boolean;
  /** True: models that support it are made to conform to the input schemas of tools. */
  readonly strictTools: boolean;
  /** Share of the context window at which the history is compacted to the ledger. */
  readonly compactThreshold: number;
  /** Messages that a compaction keeps verbatim. */
  readonly compactKeepRecent: number;
  /** The model is reminded after this many turns without a ledger entry; 0: never. */
  readonly ledgerNudgeInterval: number;
  /** True: closed blocks are replaced by stubs. */
  readonly truncateClosedBlocks: boolean;
  /** How code of the model, or of the item, runs; null: it runs none; missing in snapshots of earlier versions of animus. */
  readonly codeExecution?: CodeExecution | null;
}

/** How `execute_code` runs code. */
export interface CodeExecution {
  /** Of one execution, calls of tools included. */
  readonly timeoutSeconds: number;
  /** A container image; null: that of animus. */
  readonly image: string | null;
  readonly memoryMib: number;
  /** Processors; fractions are allowed. */
  readonly cpus: number;
  /** True: code may read the workspace without calling tools. */
  readonly mountsWorkspace: boolean;
}

interface RecoverSettings {
  /** The number of attempts, including the first. */
  readonly maxAttempts: number;
  readonly backoff: 'exponential' | 'fixed';
  /** Delay before the second attempt; if exponential, doubled for each further one. */
  readonly baseSeconds: number;
  readonly maxSeconds: number;
  /** The hook that decides after each failure, within maxAttempts; null: the policy above. */
  readonly hook: PhaseHook | null;
}

/** The models a faculty calls, in order; none if its mode calls no model. */
export function modelChain({ mode, model, fallbackModels }: EngageSettings): readonly string[] {
  return asksModel({ mode }) ? [model, ...fallbackModels] : [];
}

/** True where a model does the work. */
export function asksModel({ mode }: Pick<EngageSettings, 'mode'>): boolean {
  return modeOf(mode).needs === 'model';
}
