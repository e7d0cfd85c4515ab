/** The configuration as the rest of animus sees it: frozen, complete, units in the names. */
import type { HttpAddress } from '../lifecycle/health.ts';
import type { Secret } from '../secrets/secret.ts';

/** The effective settings of this process. */
export interface Config {
  /** The animus.toml that was read, absolute; null when there is none. */
  readonly file: string | null;
  /** ANIMUS_HOME, absolute: the embedded database, focus directories. */
  readonly home: string;
  /** Null: the embedded database. */
  readonly databaseUrl: Secret | null;
  readonly logLevel: LogLevel;
  readonly daemon: DaemonConfig;
  readonly retention: RetentionConfig;
  readonly hooks: HooksConfig;
  /** Used for models named without a provider. */
  readonly defaultProvider: string;
  /** By name; `anthropic` and `openai` are always there. */
  readonly providers: ReadonlyMap<string, ProviderConfig>;
  /** By `provider/model`: what adds to or overrides the built-in catalogue. */
  readonly models: ReadonlyMap<string, ModelConfig>;
  /** Where each effective value came from, by dotted key: `default`, `file:line` or `environment NAME`. */
  readonly origins: ReadonlyMap<string, string>;
}

/** `[daemon]` of animus.toml. */
export interface DaemonConfig {
  /** Foci at once in this daemon; default 4. */
  readonly maxConcurrent: number;
  /** How long a claim holds without a heartbeat; default 60, at least 5. */
  readonly leaseSeconds: number;
  /** How often the daemon looks by itself; default 5, embedded 0.25; less than the lease. */
  readonly pollSeconds: number;
  /** How long foci may run on after the first SIGTERM; default 30. */
  readonly shutdownGraceSeconds: number;
  /** How long a focus is left to the host that has its directory, before it goes on elsewhere; default 120. */
  readonly focusHostGraceSeconds: number;
  /** Memory in MiB that the commands of one focus may use together; default 2048. A faculty may set its own. */
  readonly focusMaxMemoryMib: number;
  /** Processes and threads that the commands of one focus may have together; default 1024. A faculty may set its own. */
  readonly focusMaxProcesses: number;
  /** Connections to Postgres; default 10. */
  readonly poolSize: number;
  /** Where health is served; default 127.0.0.1:7717, null for `off`. `configured`: somebody chose it, so it must be had. */
  readonly http: (HttpAddress & { readonly configured: boolean }) | null;
}

/** `[retention]` of animus.toml. */
export interface RetentionConfig {
  /** Resolved work is deleted, in whole trees, this many days after its end; default 90. */
  readonly resolvedDays: number;
  /** Large outputs of tools are deleted this many days after their work has ended; default 30. */
  readonly artifactsDays: number;
}

/** `[hooks]` of animus.toml. */
interface HooksConfig {
  /** Variables of the daemon's environment that hooks get: names, or beginnings with `*`; default none. */
  readonly environment: readonly string[];
}

/** Kinds of providers that are reached by HTTP, each a wire of src/llm. */
export const HTTP_PROVIDER_KINDS = ['anthropic', 'openai'] as const;
export type HttpProviderKind = (typeof HTTP_PROVIDER_KINDS)[number];

/** A provider of models. `scripted` plays a TOML script and is no model. */
export type ProviderConfig =
  | {
      readonly name: string;
      readonly kind: HttpProviderKind;
      /** Without a trailing slash. */
      readonly baseUrl: string;
      /** Null: none is set; calls go out without one. */
      readonly apiKey: Secret | null;
      /** The environment variable the key is looked for in, for messages; null where none is named. */
      readonly apiKeyEnv: string | null;
    }
  | { readonly name: string; readonly kind: 'scripted' /** Absolute. */; readonly script: string };

/** What animus.toml says about a model; undefined where it says nothing. */
export interface ModelConfig {
  readonly contextWindow: number | undefined;
  readonly maxOutput: number | undefined;
  readonly usdPerMillion: {
    readonly input: number | undefined;
    readonly output: number | undefined;
    readonly cacheRead: number | undefined;
    readonly cacheWrite: number | undefined;
  };
}

/** What LOG_LEVEL may say; default `info`. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];
