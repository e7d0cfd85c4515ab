/** Runs one work item with its own daemon, for commands that show what a faculty does and leave nothing behind. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { Config } from '../../core/config/config.ts';
import { HOOKS_DIRECTORY } from '../../core/config/sections/hooks.ts';
import { interruption } from '../../core/errors/interruption.ts';
import type { EndSignals } from '../../core/lifecycle/interrupts.ts';
import type { WorkState } from '../../core/work/work.ts';
import type { DaemonReady } from '../../daemon/daemon-options.ts';
import type { FocusEvent } from '../../engage/events/events.ts';
import { loadFeatures } from '../../features/features.ts';
import { type LedgerEntry, readLedger } from '../../operations/ledger.ts';
import { readWork, type WorkDetail } from '../../operations/read-work.ts';
import type { Database } from '../../store/sql/database.ts';
import { type FocusView, readFoci } from '../../store/views/focus-views.ts';
import { logLibraryOutput } from '../../telemetry/library-output.ts';
import { openLog } from '../../telemetry/log.ts';
import { version } from '../../terminal/command/version.ts';
import { refuseUnservedWork } from './unserved-work.ts';

export interface OneItem {
  /** Made by `inScratchHome`. */
  readonly config: Config;
  readonly facultiesDir: string;
  readonly adapt: (faculty: Faculty) => Faculty;
  /** Called once the daemon is ready for work. */
  readonly onReady?: (db: Database) => void;
  /** Submits the work and returns its id. */
  readonly submit: (db: Database) => Promise<string>;
  readonly onEvent: (event: FocusEvent) => void;
  /** True for a state that ends the run; called after each focus. */
  readonly isOver: (state: WorkState) => boolean;
}

/** The result of the run. */
export interface OneItemRun {
  readonly item: WorkDetail;
  readonly foci: readonly FocusView[];
  readonly ledger: readonly LedgerEntry[];
}

/**
 * The user's configuration, with an embedded database in `home`. The hooks of the user's own home stay in force. Without embeddings: a script
 * answers in place of the providers, and nothing may be sent to one.
 */
export function inScratchHome(config: Config, home: string): Config {
  const { directory } = config.hooks;
  // A default that need not exist must not become a directory that somebody has named.
  const isMissing = directory === join(config.home, HOOKS_DIRECTORY) && !existsSync(directory);
  const hooks = isMissing ? { ...config.hooks, directory: join(home, HOOKS_DIRECTORY) } : config.hooks;
  const daemon = { ...config.daemon, pollSeconds: 0.1 };
  return { ...config, home, hooks, databaseUrl: null, embeddings: null, daemon };
}

/** On a host without isolation, commands need an approval unless a rule allows them. Here, who would give it has just started the run. */
function withCommands(faculty: Faculty): Faculty {
  const { permissions } = faculty;
  return permissions
    ? { ...faculty, permissions: { ...permissions, risk: { execute: 'auto', ...permissions.risk } } }
    : faculty;
}

/**
 * Starts the daemon, submits the work, waits for its end and stops the daemon. Errors: `interrupted`, `faculty.unknown` for work that the daemon
 * does not serve, and the daemon's.
 */
export async function runOneItem({ drain }: EndSignals, one: OneItem): Promise<OneItemRun> {
  // Loaded here, so that other commands do not load the daemon's modules.
  const { runDaemon } = await import('../../daemon/daemon.ts');
  const finished = new AbortController();
  const ready = Promise.withResolvers<DaemonReady>();
  const ended = Promise.withResolvers<void>();
  // Child work ends, too, and an item may end before its id is known here.
  const over = new Set<string>();
  let id: string | undefined;
  const adapt = (faculty: Faculty) => withCommands(one.adapt(faculty));
  // The command prints what happens; the log only reports problems.
  const log = openLog({ level: 'error' });
  const printAgain = logLibraryOutput(log);
  const daemon = runDaemon(
    {
      parts: await loadFeatures(),
      config: one.config,
      version: version(),
      facultiesDir: one.facultiesDir,
      log,
      adapt,
      unattended: true,
      onReady: ready.resolve,
      onEvent: (event) => {
        one.onEvent(event);
        if (event.type !== 'state' || event.state === 'running' || event.state === 'cancelling') return;
        if (!one.isOver(event.state)) return;
        over.add(event.workItemId);
        if (event.workItemId === id) ended.resolve();
      },
    },
    // The first Ctrl-C stops the run: there is no grace time here.
    { drain: AbortSignal.any([drain, finished.signal]), abort: drain },
  );
  const stopped = daemon.then(() => {
    throw interruption();
  });
  try {
    const served = await Promise.race([ready.promise, stopped]);
    const { db } = served;
    one.onReady?.(db);
    id = await one.submit(db);
    if (over.has(id)) ended.resolve();
    const unserved = refuseUnservedWork(served, { ...one, adapt }, AbortSignal.any([drain, finished.signal]));
    await Promise.race([ended.promise, stopped, unserved]);
    // An interrupted focus ends, too, and its item returns to the queue.
    if (drain.aborted) throw interruption();
    return { item: await readWork(db, id), foci: await readFoci(db, id), ledger: await readLedger(db, id, 'visible') };
  } finally {
    finished.abort();
    // Its own failure was thrown above, through `stopped`.
    await daemon.catch(() => undefined);
    printAgain();
  }
}
