/** The configuration that the rest of animus reads: frozen, complete, with units in the names. */
import type { HttpAddress } from '../lifecycle/health.ts';
import type { Secret } from '../secrets/secret.ts';
import type { Budget } from './budget.ts';
import type { EngineAddress } from './engine-address.ts';
import type { HttpConfig } from './http-config.ts';
import type { ModelAbilities } from './model-abilities.ts';
import type { StructuredOutputs } from './model-words.ts';
import type { ProviderAccess } from './provider-access.ts';
import type { WebhooksConfig } from './webhooks-config.ts';

/** The effective settings of this process. */
export interface Config {
  /** The animus.toml that was read, absolute; null when there is none. */
  readonly file: string | null;
  /** ANIMUS_HOME, absolute: the embedded database, focus directories. */
  readonly home: string;
  /** Null: the embedded database. */
  readonly databaseUrl: Secret | null;
  /** ANIMUS_PGMQ_SCHEMA: where `migrate` puts the queues; null: in `pgmq`. */
  readonly pgmqSchema: string | null;
  readonly logLevel: LogLevel;
  readonly daemon: DaemonConfig;
  /** `[http]`: the API. */
  readonly http: HttpConfig;
  readonly retention: RetentionConfig;
  readonly hooks: HooksConfig;
  readonly skills: SkillsConfig;
  readonly batch: BatchConfig;
  readonly web: WebConfig;
  /** `[webhooks]`: what signs them, and what they may reach. */
  readonly webhooks: WebhooksConfig;
  /** Null: memories are searched by their words alone. */
  readonly embeddings: EmbeddingsConfig | null;
  readonly sandbox: SandboxConfig;
  /** `[budget]`: limits for everything that all daemons do. */
  readonly budget: Budget;
  /** Used for models named without a provider. */
  readonly defaultProvider: string;
  /** By name; `anthropic` and `openai` are always there. */
  readonly providers: ReadonlyMap<string, ProviderConfig>;
  /** By `provider/model`: additions to the built-in catalogue of models, and overrides. */
  readonly models: ReadonlyMap<string, ModelConfig>;
  /** Where each effective value comes from, by dotted key: `default`, `file:line` or `environment NAME`. */
  readonly origins: ReadonlyMap<string, string>;
}

/** `[daemon]` of animus.toml. */
export interface DaemonConfig {
  /** How many foci this daemon runs at once; default 4. */
  readonly maxConcurrent: number;
  /** How long a lease is valid without a heartbeat; default 60, at least 5. */
  readonly leaseSeconds: number;
  /** How often the daemon polls the queue; default 5, embedded 0.25; less than the lease. */
  readonly pollSeconds: number;
  /** How long foci may keep running after the first SIGTERM; default 30. */
  readonly shutdownGraceSeconds: number;
  /** How long a focus is reserved for the host that has its directory, before another host may resume it; default 120. */
  readonly focusHostGraceSeconds: number;
  /** The address of the author of commits in worktrees; default `animus@localhost`. */
  readonly commitEmail: string;
  /** Memory in MiB that the commands of one focus may use in total; default 2048. A faculty may set its own. */
  readonly focusMaxMemoryMib: number;
  /** Processes and threads that the commands of one focus may have in total; default 1024. A faculty may set its own. */
  readonly focusMaxProcesses: number;
  /** Connections to Postgres; default 10. */
  readonly poolSize: number;
  /** Where health and the API are served; default 127.0.0.1:7717, null for `off`. `configured`: set by the user, so the start fails without it. */
  readonly http: (HttpAddress & { readonly configured: boolean }) | null;
}

/** `[retention]` of animus.toml. */
export interface RetentionConfig {
  /** Resolved work is deleted, in whole trees, this many days after its end; default 90. */
  readonly resolvedDays: number;
  /** Transcripts of resolved work are packed into the history this many days after its end; null: never, the default. */
  readonly packDays: number | null;
  /** Large outputs of tools are deleted this many days after their work has ended; default 30. */
  readonly artifactsDays: number;
  /** The directory of a worktree that holds nothing beside its branch is removed this many days after its work has ended; default 14. */
  readonly worktreeDays: number;
  /** The same for one that holds something, which is lost then; null: never, the default. */
  readonly heldWorktreeDays: number | null;
  /** The files of an ended focus in its own directory are deleted this many days after its end, 0: at once; default 7. */
  readonly directoriesDays: number;
}

/** `[hooks]` of animus.toml. */
interface HooksConfig {
  /** Where the hooks are that every faculty has, absolute; default `hooks.d` in ANIMUS_HOME, which need not exist. */
  readonly directory: string;
  /** Variables of the daemon's environment that hooks get: names, or prefixes followed by `*`; default none. */
  readonly environment: readonly string[];
}

/** The hooks directory in ANIMUS_HOME when animus.toml names none. */
export const HOOKS_DIRECTORY = 'hooks.d';

/** `[skills]` of animus.toml. */
export interface SkillsConfig {
  /** A skill that no work has used for so many days is shown as stale; default 30. */
  readonly staleDays: number;
  /** Where skills are searched after those of `--skills`, absolute; the earlier one wins a collision; default none. */
  readonly directories: readonly string[];
  /** Whether findings that recur become work for the faculty `scribe`, where it is loaded; default true. */
  readonly propose: boolean;
  /** How many items must have found the same; default 3. */
  readonly proposeThreshold: number;
  /** How old such a finding may be; default 30. */
  readonly proposeWindowDays: number;
  /** How often a daemon looks for them; default 600. */
  readonly proposeIntervalSeconds: number;
}

/** `[web]` of animus.toml. */
export interface WebConfig {
  /** What `web_fetch` may reach beside the public internet: hosts, addresses, networks (`parseWebTarget`); default none. */
  readonly allow: readonly string[];
  /** Where `web_search` searches; null: nowhere, and faculties with the tool are refused. */
  readonly search: WebSearchConfig | null;
}

/** `[sandbox]` of animus.toml. */
export interface SandboxConfig {
  /** Where the Docker engine listens. */
  readonly endpoint: EngineAddress;
  /** The image of executions whose faculty names none. */
  readonly image: string;
  /** An OCI runtime of the engine, such as `runsc`; null: its default. */
  readonly runtime: string | null;
  /** How code speaks with the daemon: by the standard input and output of its container, or by HTTP on a network of its own. */
  readonly transport: SandboxTransport;
  /** Of `http`: the internal network of the containers. */
  readonly network: string;
  /** How many containers are kept started and unused, per image and limits; default 2. */
  readonly poolSize: number;
  /** How many executions run at once; default 8. Others wait. */
  readonly maxExecutions: number;
  /** Processes and threads of a container; default 128. */
  readonly maxProcesses: number;
  /** The size of its work directory in MiB, in memory; default 64. */
  readonly workMib: number;
}

export const SANDBOX_TRANSPORTS = ['stdio', 'http'] as const;
export type SandboxTransport = (typeof SANDBOX_TRANSPORTS)[number];

/** The image that `animus sandbox build` makes. */
export const DEFAULT_SANDBOX_IMAGE = 'animus-sandbox:latest';

/** `[web.search]` of animus.toml. */
export interface WebSearchConfig {
  readonly kind: WebSearchKind;
  /** Without a trailing slash. */
  readonly url: string;
  /** Null: no key is set. */
  readonly apiKey: Secret | null;
  /** The environment variable that holds the key; null if the endpoint needs none. */
  readonly apiKeyEnv: string | null;
  /** Time-out of a search; default 20. */
  readonly timeoutSeconds: number;
}

/** Search APIs that `web_search` speaks. */
export const WEB_SEARCH_KINDS = ['searxng', 'brave', 'tavily'] as const;
export type WebSearchKind = (typeof WEB_SEARCH_KINDS)[number];

/** `[embeddings]` of animus.toml: the model that turns memories into vectors. */
export interface EmbeddingsConfig {
  /** The name of a provider, whose kind is one of `EMBEDDING_KINDS`. */
  readonly provider: string;
  /** The provider's name of the model. */
  readonly model: string;
  /** Of each vector, at most 2,000: pgvector's index takes no more. */
  readonly dimensions: number;
  /** Texts per request; default 96. */
  readonly batchSize: number;
  /** Whether requests ask for that number of dimensions; null: as the catalogue says. */
  readonly requestDimensions: boolean | null;
}

/** Kinds of providers that have embeddings. */
export const EMBEDDING_KINDS = ['openai', 'azure', 'ollama'] as const satisfies readonly HttpProviderKind[];

/** Where health is served when animus.toml does not say. */
export const DEFAULT_HTTP = '127.0.0.1:7717';

/** `[batch]` of animus.toml. */
export interface BatchConfig {
  /** How long requests are collected for one batch; default 10. */
  readonly gatherSeconds: number;
  /** How often a provider is asked about its batches; default 60. */
  readonly pollSeconds: number;
  /** The time limit of submitting a batch; default 120. After twice that time, animus searches for a batch whose submit was not confirmed. */
  readonly submitTimeoutSeconds: number;
}

/** Kinds of providers that are called over HTTP. `WIRES` in src/llm says which wire format a model of each speaks. */
export const HTTP_PROVIDER_KINDS = ['anthropic', 'openai', 'azure', 'bedrock', 'vertex', 'ollama'] as const;
export type HttpProviderKind = (typeof HTTP_PROVIDER_KINDS)[number];

/** The wire formats of OpenAI's API that `wire` names: Chat Completions and Responses. */
export const WIRE_CHOICES = ['chat', 'responses'] as const;
export type WireChoice = (typeof WIRE_CHOICES)[number];

/** A provider of models. `scripted` plays a TOML script and calls no model. */
export type ProviderConfig = HttpProviderConfig | ScriptedProviderConfig;

/** A provider that plays a script. */
export interface ScriptedProviderConfig {
  readonly name: string;
  readonly kind: 'scripted';
  /** Absolute. */
  readonly script: string;
  /** True: its models are named like those of other providers, `anthropic/claude-…`, whose prices and windows they have. Default false. */
  readonly standsIn?: boolean;
}

/** A provider that is called over HTTP. */
export interface HttpProviderConfig extends ProviderAccess {
  readonly name: string;
  readonly kind: HttpProviderKind;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Null: no key is set, and calls are sent without one. */
  readonly apiKey: Secret | null;
  /** The environment variable that holds the key, for messages; null if none is named. */
  readonly apiKeyEnv: string | null;
  /** The wire format of its models that set none of their own; null: as the catalogue says, else the default of the kind. */
  readonly wire: WireChoice | null;
}

/** The values of animus.toml for a model; undefined where it sets none. */
export interface ModelConfig {
  readonly contextWindow: number | undefined;
  readonly maxOutput: number | undefined;
  readonly wire: WireChoice | undefined;
  readonly structuredOutputs: StructuredOutputs | undefined;
  readonly abilities: ModelAbilities;
  readonly usdPerMillion: {
    readonly input: number | undefined;
    readonly output: number | undefined;
    readonly cacheRead: number | undefined;
    readonly cacheWrite: number | undefined;
  };
}

/** The values of LOG_LEVEL; default `info`. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];
