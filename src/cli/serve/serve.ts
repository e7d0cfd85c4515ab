/** `animus serve`: the daemon. */

import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { loadConfig } from '../../catalog/config/load-config.ts';
import { loadFaculties } from '../../catalog/faculties.ts';
import type { Config } from '../../core/config/config.ts';
import { AnimusError } from '../../core/errors/errors.ts';
import { systemClock } from '../../core/lifecycle/clock.ts';
import type { DaemonReady } from '../../daemon/daemon-options.ts';
import { loadFeatures } from '../../features/features.ts';
import type { MigrationProgress } from '../../store/migrations/migrate.ts';
import { logLibraryOutput } from '../../telemetry/library-output.ts';
import { openLog } from '../../telemetry/log.ts';
import { wholeNumber } from '../../terminal/command/arguments.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from '../../terminal/command/command.ts';
import { FACULTIES_OPTION, facultiesDirectory } from '../../terminal/command/faculties-directory.ts';
import { SKILLS_OPTION, skillsDirectories } from '../../terminal/command/skills-directories.ts';
import { version } from '../../terminal/command/version.ts';
import { toolTable } from '../../tools/known-tools.ts';
import { createIdleHeap } from './idle-heap.ts';

/** What a daemon is started with. */
export interface ServeOptions extends CommonOptions {
  readonly faculties?: string;
  readonly skills?: string;
  readonly maxConcurrent?: number;
  readonly verbose?: boolean;
}

/** Adds `animus serve`. */
export function addServeCommand(program: Command, run: RunCommand): void {
  addCommand(program, 'serve', {
    summary: 'run the daemon: claim work and run agents on it until SIGINT or SIGTERM; a second signal stops at once',
    examples: [
      'animus serve',
      'DATABASE_URL=postgres://ada@db/work animus serve --faculties ./agents --max-concurrent 8',
    ],
  })
    .option(...FACULTIES_OPTION)
    .option(...SKILLS_OPTION)
    .option('--max-concurrent <n>', 'how many foci run at once (default: from the configuration)', wholeNumber(1, 1000))
    .option('--verbose', 'log everything, as with LOG_LEVEL=debug')
    .action(run(serveCommand));
}

async function serveCommand(invocation: Invocation, options: ServeOptions): Promise<number> {
  const { output } = invocation;
  const change = (config: Config) => (options.verbose ? { ...config, logLevel: 'debug' as const } : config);
  return serveDaemon(invocation, options, change, async ({ db, daemonId, faculties }) => {
    output.document({ daemon_id: daemonId, database: { kind: db.kind, where: db.where }, faculties });
  });
}

/** Runs a daemon until the command is ended by a signal; returns the exit code. `change`: of the configuration, each time it is read. `onReady`: before it is said. */
export async function serveDaemon(
  invocation: Invocation,
  options: ServeOptions,
  change: (config: Config) => Config,
  onReady: (ready: DaemonReady) => Promise<void>,
): Promise<number> {
  const { output, context } = invocation;
  const config = change(await invocation.config());
  const facultiesDir = await facultiesDirectory(invocation, options.faculties);
  requireFaculties(facultiesDir);
  const skillsDirs = await skillsDirectories(invocation, options.skills);
  // The daemon loads the telemetry SDK and the providers; other commands need not wait for them.
  const { runDaemon } = await import('../../daemon/daemon.ts');
  const log = openLog({ level: config.logLevel });
  const printAgain = logLibraryOutput(log);
  const { maxConcurrent } = options;
  const sources = { env: context.env, cwd: context.cwd, configFile: options.config };
  const openHealth = await context.loadHealth?.();
  const started = sayWhatIsSlow(invocation, config);
  const idleHeap = createIdleHeap({ clock: systemClock });
  await idleHeap.start();
  try {
    await runDaemon(
      {
        parts: await loadFeatures(),
        config,
        version: version(),
        log,
        facultiesDir,
        skillsDirs,
        watchdog: true,
        reloadConfig: () => change(loadConfig(sources, [...config.others.keys()])),
        ...(maxConcurrent !== undefined && { maxConcurrent }),
        ...(openHealth !== undefined && { openHealth }),
        ...(context.openApi !== undefined && { openApi: context.openApi }),
        // Details that are logged would break the line.
        onMigrating: config.logLevel === 'debug' ? undefined : (step) => showMigrating(invocation, step),
        onReady: async (ready) => {
          const { db, faculties } = ready;
          started();
          await onReady(ready);
          const served = faculties.join(', ') || 'no faculties yet (see above)';
          output.block(`serving ${served} on the ${db.kind} database at ${db.where}; Ctrl-C stops it`);
        },
      },
      context.signals,
    );
  } finally {
    started();
    printAgain();
    await idleHeap.stop();
  }
  context.signals.endedAsAsked();
  return 0;
}

/** On a line of a terminal that the next one replaces. */
function showMigrating({ output }: Invocation, step: Parameters<MigrationProgress>[0]): void {
  output.progress(step === null ? null : `creating or migrating the schema: ${step.done} of ${step.of}`);
}

/** How long the start may take before a note explains the wait. */
const SLOW_MS = 1500;

/** Prints a note on a terminal when the start is slow. The log shares stderr, so the line cannot be redrawn. */
function sayWhatIsSlow({ context, output }: Invocation, { databaseUrl, home }: Config): () => void {
  const waitingFor =
    databaseUrl === null
      ? `the embedded database in ${home}: it is being created, or another command has it open`
      : 'the database';
  const timer = setTimeout(() => {
    if (context.stderr.isTTY) output.note(`starting; waiting for ${waitingFor}`);
  }, SLOW_MS);
  return () => clearTimeout(timer);
}

/** Refuses a directory that is missing or has no faculty files (`faculty.none`). The daemon reports files with problems. */
export function requireFaculties(directory: string): void {
  if (!existsSync(directory)) throw new AnimusError('faculty.none', { directory });
  const { listed, known } = toolTable();
  const { faculties, problems } = loadFaculties(directory, { toolNames: listed, tools: known });
  if (faculties.size === 0 && problems.length === 0) throw new AnimusError('faculty.none', { directory });
}
