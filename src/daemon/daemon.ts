/** The daemon: everything long-lived, put together, started in order and stopped in reverse. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { type Faculties, facultiesError } from '../catalog/faculties.ts';
import type { Faculty } from '../catalog/faculty.ts';
import type { Config } from '../core/config/config.ts';
import { messageOf } from '../core/errors/errors.ts';
import { type Clock, systemClock } from '../core/lifecycle/clock.ts';
import type { OpenHealth } from '../core/lifecycle/health.ts';
import type { EndSignals } from '../core/lifecycle/interrupts.ts';
import type { Service } from '../core/lifecycle/service.ts';
import { createWake } from '../core/lifecycle/wake.ts';
import type { FocusEvent } from '../engage/events/events.ts';
import { createProcessHost } from '../process/host/supervised-host.ts';
import { detectIsolation } from '../process/isolation.ts';
import { migrate } from '../store/migrations/migrate.ts';
import { openConfiguredDatabase } from '../store/open/open-database.ts';
import { openNotifications } from '../store/postgres/notifications.ts';
import type { Database } from '../store/sql/database.ts';
import { deregisterDaemon } from '../store/work/daemons.ts';
import { createWorkCompleter } from '../store/work/work-completer.ts';
import { logLibraryOutput } from '../telemetry/library-output.ts';
import { type Log, openLog } from '../telemetry/log.ts';
import { startTelemetry } from '../telemetry/setup.ts';
import { TOOL_SOURCES } from '../tools/source.ts';
import { type ControlPlane, createControlPlane } from './control/control-plane.ts';
import { endFoci } from './control/end-foci.ts';
import { createHeartbeat } from './control/heartbeat.ts';
import { runFocus } from './focus/run-focus.ts';
import { createFileGuard } from './guard/file-guard.ts';
import { hookEnvironment } from './hooks/hook-environment.ts';
import { openModels } from './models/focus-model.ts';
import { takeSteps } from './presence/await-database.ts';
import { createReadiness } from './presence/readiness.ts';
import { createRegistration } from './presence/registration.ts';
import { createVersionGuard } from './presence/version-guard.ts';
import { watchConfig } from './reload/config-reload.ts';
import { loadRunnableFaculties } from './reload/load-faculties.ts';
import { watchFaculties } from './reload/reload.ts';
import { createHearing } from './timers/hearing.ts';
import { createInbox } from './timers/inbox.ts';
import { createJanitor } from './timers/janitor.ts';
import { createQueueMetrics } from './timers/queue-metrics.ts';
import { createScheduler } from './timers/scheduler.ts';
import { sweepFocusDirectories } from './workspace/focus-directory.ts';

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
  /** Called once the daemon takes work. */
  readonly onReady?: (ready: DaemonReady) => void;
}

export interface DaemonReady {
  readonly db: Database;
  readonly daemonId: string;
  readonly faculties: readonly string[];
}

/**
 * Runs a daemon until it is told to end. `drain`: no new claims, foci get the grace time to finish, then stop at their
 * next turn boundary and go back to the queue, attempts unchanged. `abort`: foci are stopped at once and released.
 * A database that does not answer yet is waited for. Rejects where it cannot start, and with `db.schema_newer`, drained, when
 * the database has moved on too far for it.
 */
export async function runDaemon(options: DaemonOptions, signals: EndSignals): Promise<void> {
  const { config, clock = systemClock, host = hostname() } = options;
  const log = options.log ?? openLog({ level: config.logLevel });
  const initial = readFaculties(options, log);
  await using closing = new AsyncDisposableStack();
  closing.defer(logLibraryOutput(log));

  const telemetry = await startTelemetry({ version: options.version, log });
  closing.defer(() => telemetry.shutdown());
  const daemonId = randomUUID();
  const readiness = createReadiness({
    http: config.daemon.http,
    home: config.home,
    version: options.version,
    daemonId,
    clock,
    log,
    openHealth: options.openHealth,
  });
  await readiness.start();
  closing.defer(() => readiness.stop());
  const models = await openModels(config, log);
  closing.defer(() => models.stop());
  const db = await openConfiguredDatabase(config, { role: 'daemon', log, poolSize: config.daemon.poolSize });
  closing.defer(() => db.close());
  readiness.watchDatabase(db);
  const processes = createProcessHost({ log: (level, message, fields) => log[level](fields, message) });
  const guard = createFileGuard({
    config,
    env: process.env,
    cwd: process.cwd(),
    facultiesDir: resolve(options.facultiesDir),
    faculties: () => registration.faculties().values(),
    log,
  });
  closing.defer(() => guard.close());

  const directoryRoot = join(config.home, 'foci');
  const wake = createWake(clock);
  // Of the newest configuration: what of it may change while the daemon runs.
  let newest = config;
  const maxConcurrent = () => options.maxConcurrent ?? newest.daemon.maxConcurrent;
  const { leaseSeconds } = config.daemon;
  const isolation = await detectIsolation(config.home);
  const completer = createWorkCompleter(db);
  const versionGuard = createVersionGuard(db, clock);
  const registration = createRegistration({
    db,
    clock,
    log,
    config,
    daemon: { id: daemonId, host, pid: process.pid, version: options.version },
    maxConcurrent,
  });

  const controlPlane: ControlPlane = createControlPlane({
    db,
    clock,
    log,
    daemonId,
    wake,
    leaseSeconds,
    settings: () => ({
      maxConcurrent: maxConcurrent(),
      pollSeconds: config.daemon.pollSeconds,
      focusHostGraceSeconds: newest.daemon.focusHostGraceSeconds,
    }),
    faculties: registration.faculties,
    runFocus: (work, faculty, control) =>
      runFocus(work, faculty, control, {
        db,
        clock,
        log,
        processes,
        models,
        host,
        directoryRoot,
        isolation,
        guard,
        hookEnvironment: hookEnvironment(config, process.env),
        leaseSeconds,
        limits: () => newest.daemon,
        completer,
        toolSources: TOOL_SOURCES,
        onEvent: options.onEvent ?? (() => {}),
        holdFaculty: (name, seconds, reason) => {
          log.warn(
            { faculty: name, seconds, reason },
            'its provider is in trouble: the faculty takes no new work for a while',
          );
          controlPlane.hold(name, clock.monotonicMs() + seconds * 1000);
          return registration.trouble(name, reason);
        },
        workedOn: registration.worked,
      }),
  });
  const heartbeat = createHeartbeat({
    db,
    clock,
    log,
    daemonId,
    leaseSeconds,
    running: controlPlane.running,
    processes,
  });
  const { pollSeconds } = config.daemon;
  const inbox = createInbox({ db, clock, log, pollSeconds });
  const scheduler = createScheduler({ db, clock, log, pollSeconds });
  const janitor = createJanitor({ db, clock, log, retention: () => newest.retention, directoryRoot });
  const rings = {
    animus_work_ready: () => wake.ring(),
    animus_cancel: heartbeat.beat,
    animus_inbox: () => inbox.ring(),
  };
  const notifications = openNotifications(
    db,
    Object.keys(rings),
    {
      onNotify: (channel) => void rings[channel as keyof typeof rings](),
      onReconnect: () => Object.values(rings).forEach((ring) => void ring()),
    },
    log,
  );
  readiness.watchNotifications(notifications);
  const hearing = createHearing({ db, log, pollSeconds, onDeaf: registration.fault });
  const queueMetrics = telemetry.enabled ? [createQueueMetrics({ db, clock, log })] : [];
  const reload = watchFaculties({
    directory: resolve(options.facultiesDir),
    initial,
    load: () => loadAdapted(options),
    onChange: async (faculties) => {
      await registration.take(faculties);
      wake.ring();
    },
    clock,
    log,
  });

  const reloadConfig = watchConfig({
    initial: config,
    load: options.reloadConfig ?? (() => config),
    onChange(changed) {
      newest = changed;
      wake.ring();
    },
    onProblems: registration.configProblems,
    clock,
    log,
  });

  const startOf = (service: Service) => async () => {
    await service.start();
    closing.defer(() => service.stop());
  };
  const started = await takeSteps(
    [
      () => migrate(db, { log, patienceMs: Number.POSITIVE_INFINITY, ending: signals.drain }),
      startOf(processes),
      () => sweepFocusDirectories(db, directoryRoot),
      // Before it is made known: whether that arrived may not be known.
      async () => closing.defer(() => deregister(db, daemonId, log)),
      () => registration.take(initial),
      ...[
        notifications,
        heartbeat,
        controlPlane,
        inbox,
        scheduler,
        janitor,
        reload,
        reloadConfig,
        versionGuard,
        hearing,
        ...queueMetrics,
      ].map(startOf),
    ],
    { clock, log, ending: signals.drain },
  );
  if (!started) return;
  const names = [...registration.faculties().keys()];
  log.info({ database: db.where, faculties: names, max_concurrent: maxConcurrent, isolation }, 'the daemon takes work');
  readiness.enter('serving');
  options.onReady?.({ db, daemonId, faculties: names });

  await aborted(AbortSignal.any([signals.drain, versionGuard.outdated]));
  if (versionGuard.outdated.aborted) log.error({}, messageOf(versionGuard.outdated.reason));
  readiness.enter('ending');
  await endFoci(controlPlane, newest.daemon.shutdownGraceSeconds, signals, clock, log);
  versionGuard.outdated.throwIfAborted();
}

/** All faculties of the directory; a daemon with none, or only broken ones, does not start. */
function readFaculties(options: DaemonOptions, log: Log): Faculties {
  const { faculties, problems } = loadAdapted(options);
  if (faculties.size === 0) throw facultiesError(problems);
  for (const problem of problems) log.error({ file: problem.details['file'] }, `faculty left out: ${problem.message}`);
  return { faculties, problems };
}

function loadAdapted({ facultiesDir, config, adapt }: DaemonOptions): Faculties {
  return loadRunnableFaculties(resolve(facultiesDir), config, adapt);
}

async function deregister(db: Database, daemonId: string, log: Log): Promise<void> {
  try {
    await deregisterDaemon(db, daemonId);
  } catch (error) {
    log.warn({ error: String(error) }, 'could not sign off; status shows this daemon as lost for a while');
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    signal.addEventListener('abort', () => done(), { once: true });
  });
}
