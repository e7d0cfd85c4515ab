/** The options of a daemon, and what it reports once it is ready. */
import type { Faculty } from '../catalog/faculty/faculty.ts';
import type { Config, FixedConfig } from '../core/config/config.ts';
import type { HttpConfig } from '../core/config/sections/http.ts';
import type { Clock } from '../core/lifecycle/clock.ts';
import type { HttpAddress, HttpApi, OpenHealth } from '../core/lifecycle/health.ts';
import type { FocusEvent } from '../engage/events/events.ts';
import type { ListedModel } from '../llm/models/list-models.ts';
import type { MigrationProgress } from '../store/migrations/migrate.ts';
import type { Database } from '../store/sql/database.ts';
import type { Log } from '../telemetry/log.ts';
import type { SearchEmbeddings } from './embeddings/search-embedding.ts';
import type { DaemonPart } from './parts/daemon-part.ts';

export interface DaemonOptions {
  /** What it runs beside the engine. */
  readonly parts: readonly DaemonPart[];
  readonly config: Config;
  readonly version: string;
  /** Where the faculties' TOML files are; absolute or relative to the current directory. */
  readonly facultiesDir: string;
  /**
   * Where the skills are, absolute; an earlier directory wins a collision, and skills that agents write go into the first. Default: none,
   * and there are no skills.
   */
  readonly skillsDirs?: readonly string[];
  /**
   * Reads the configuration again when its file has changed. Absent: the configuration never changes. Errors:
   * `config.*`.
   */
  readonly reloadConfig?: () => Config;
  /** How many foci run at once; default: from the configuration. */
  readonly maxConcurrent?: number;
  readonly log?: Log;
  /**
   * The name of this host for other daemons; default: the system's host name. Focus directories belong to a host by
   * this name.
   */
  readonly host?: string;
  readonly clock?: Clock;
  /** Serves health at `daemon.http`; absent: health is not served, as in the demo. */
  readonly openHealth?: OpenHealth;
  /** Serves the API there, if `http.api` is on; absent: it is not served. */
  readonly openApi?: OpenApi;
  /** Changes a faculty when it is loaded: the demo sets the workspace and model of the engineer. */
  readonly adapt?: (faculty: Faculty) => Faculty;
  /** True: there is nobody to ask, so calls that need a person are denied at once. Default false. */
  readonly unattended?: boolean;
  /** A thread watches the event loop, gives work up when it is blocked, and obeys signals that it does not handle. Default false. */
  readonly watchdog?: boolean;
  /** Watches every focus live. */
  readonly onEvent?: (event: FocusEvent) => void;
  /** Told how far the migration of the schema has come. */
  readonly onMigrating?: MigrationProgress | undefined;
  /** Called once the daemon is ready for work, which it takes meanwhile. A rejection ends the daemon. */
  readonly onReady?: (ready: DaemonReady) => void | Promise<void>;
}

/** What the API gets of the process that serves it. */
export interface ApiParts {
  readonly db: Database;
  readonly log: Log;
  readonly clock: Clock;
  readonly version: string;
  readonly settings: HttpConfig;
  /** The models of the configuration. */
  readonly models: () => readonly ListedModel[];
  /** Of this process, as it was at its start. */
  readonly config: FixedConfig;
  /** The model of `[embeddings]`, for searches; null: none. */
  readonly embeddings: SearchEmbeddings | null;
}

/** Opens the API, and loads its code only then. It is stopped before the database is closed. */
export type OpenApi = (parts: ApiParts) => Promise<HttpApi>;

export interface DaemonReady {
  readonly db: Database;
  readonly daemonId: string;
  readonly faculties: readonly string[];
  /** Where health and the API are served; null: nowhere. */
  readonly address: HttpAddress | null;
}
