/** What a daemon is given, and what it says of itself once it works. */
import type { Faculty } from '../catalog/faculty.ts';
import type { Config } from '../core/config/config.ts';
import type { Clock } from '../core/lifecycle/clock.ts';
import type { OpenHealth } from '../core/lifecycle/health.ts';
import type { FocusEvent } from '../engage/events/events.ts';
import type { Database } from '../store/sql/database.ts';
import type { Log } from '../telemetry/log.ts';

export interface DaemonOptions {
  readonly config: Config;
  readonly version: string;
  /** Where the faculties' TOML files are; absolute or relative to the current directory. */
  readonly facultiesDir: string;
  /** Reads the configuration again when its file has changed; none: it stays as it is. Errors: `config.*`. */
  readonly reloadConfig?: () => Config;
  /** Foci at once; default as configured. */
  readonly maxConcurrent?: number;
  readonly log?: Log;
  /** This machine's name for the other daemons; default the system's. Directories of foci belong to it. */
  readonly host?: string;
  readonly clock?: Clock;
  /** Serves health at `daemon.http`; absent: nobody does, as in the demo. */
  readonly openHealth?: OpenHealth;
  /** Changes a faculty as it is loaded: the demo gives the engineer its own workspace and model. */
  readonly adapt?: (faculty: Faculty) => Faculty;
  /** Watches every focus live. */
  readonly onEvent?: (event: FocusEvent) => void;
  /** Called once the daemon is ready for work. */
  readonly onReady?: (ready: DaemonReady) => void;
}

export interface DaemonReady {
  readonly db: Database;
  readonly daemonId: string;
  readonly faculties: readonly string[];
}
