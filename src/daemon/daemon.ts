/** The daemon: composes all long-lived services, starts them in order and stops them in reverse. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { type Faculties, facultiesError } from '../catalog/faculties.ts';
import { errorOf, messageOf } from '../core/errors/errors.ts';
import { aborted } from '../core/lifecycle/aborted.ts';
import { systemClock } from '../core/lifecycle/clock.ts';
import type { EndSignals } from '../core/lifecycle/interrupts.ts';
import type { Service } from '../core/lifecycle/service.ts';
import { listModels } from '../llm/models/list-models.ts';
import { createProcessHost, type ProcessLog } from '../process/host/supervised-host.ts';
import { detectIsolation } from '../process/isolation.ts';
import { migrate } from '../store/migrations/migrate.ts';
import { openConfiguredDatabase } from '../store/open/open-database.ts';
import type { Database } from '../store/sql/database.ts';
import { beginEnding, deadDaemons, deregisterDaemon, sessionName } from '../store/work/daemons.ts';
import { type Log, openLog } from '../telemetry/log.ts';
import { startTelemetry } from '../telemetry/setup.ts';
import { endFoci } from './control/end-foci.ts';
import type { DaemonOptions } from './daemon-options.ts';
import { searchEmbeddings } from './embeddings/search-embedding.ts';
import { resumeRestored } from './focus/scope/resume-restored.ts';
import { withContainers } from './leased-containers.ts';
import { openModels } from './models/focus-model.ts';
import { modelNames } from './models/model-names.ts';
import { openContainers } from './open-containers.ts';
import { loadParts } from './parts/daemon-part.ts';
import { takeSteps } from './presence/await-database.ts';
import { createReadiness } from './presence/readiness.ts';
import { loadAtStart, loadRunnableFaculties } from './reload/load-faculties.ts';
import { createServices } from './services.ts';
import { createLoopDelay } from './watchdog/loop-delay.ts';
import { createWatchdog } from './watchdog/watchdog.ts';
import { sweepFocusDirectories } from './workspace/focus-directory.ts';
import { sweepHomes } from './workspace/focus-home.ts';
import { sweepPackages } from './workspace/skill-packages.ts';

/**
 * Runs a daemon until a signal ends it. `drain`: stops claiming; foci get the grace time to finish, then stop at their next
 * turn boundary and return to the queue, attempts unchanged. `abort`: stops and releases foci at once. Waits for a database
 * that does not answer yet. Rejects when it cannot start; also, after a drain, with `db.schema_newer` when the schema has
 * become too new for it.
 */
export async function runDaemon(options: DaemonOptions, signals: EndSignals): Promise<void> {
  const { config, clock = systemClock, host = hostname() } = options;
  const { logLevel } = config;
  const { leaseSeconds } = config.daemon;
  const log = options.log ?? openLog({ level: logLevel });
  const initial = await readFaculties(options, log);
  await using closing = new AsyncDisposableStack();
  // The first step is the last to end.
  closing.defer(() => {
    if (signals.drain.aborted) log.info({}, 'the daemon has stopped; unfinished work goes on when a daemon runs again');
  });

  const telemetry = await startTelemetry({ version: options.version, log });
  closing.defer(() => telemetry.shutdown());
  const daemonId = randomUUID();
  const readiness = createReadiness({
    http: config.daemon.http,
    api: options.openApi !== undefined && config.http.api ? config.http : null,
    home: config.home,
    version: options.version,
    daemonId,
    clock,
    log,
    openHealth: options.openHealth,
  });
  await readiness.start();
  closing.defer(() => readiness.stop());
  const processLog: ProcessLog = (level, message, fields) => log[level](fields, message);
  const dead = () => deadDaemons(db);
  const { containers, sandbox } = openContainers({ config, daemonId, log: processLog, dead });
  const processes = withContainers(createProcessHost({ log: processLog }), containers);
  const models = openModels(config, log, processes);
  closing.defer(() => models.stop());
  const db = await openConfiguredDatabase(config, {
    role: 'daemon',
    log,
    poolSize: config.daemon.poolSize,
    applicationName: sessionName(daemonId),
  });
  closing.defer(() => db.close());
  readiness.watchDatabase(db);
  const directoryRoot = join(config.home, 'foci');
  const skillPackages = join(config.home, 'skill-packages');
  const isolation = await detectIsolation(config.home);
  const services = createServices({
    options,
    parts: await loadParts(options.parts),
    initial,
    load: (settings) => loadRunnableFaculties(resolve(options.facultiesDir), settings, options.adapt),
    db,
    clock,
    log,
    host,
    daemonId,
    processes,
    containers,
    sandbox,
    models,
    isolation,
    readiness,
    directoryRoot,
    skillPackages,
    exportsMetrics: telemetry.enabled,
  });
  const { controlPlane, registration, versionGuard, guard } = services;
  readiness.watchClaims(controlPlane.claims);
  closing.defer(() => guard.close());

  const startOf = (service: Service) => async () => {
    await service.start();
    closing.defer(() => service.stop());
  };
  const started = await takeSteps(
    [
      () =>
        migrate(db, {
          log,
          patienceMs: Number.POSITIVE_INFINITY,
          pgmqSchema: config.pgmqSchema,
          ending: signals.drain,
          onProgress: options.onMigrating,
        }),
      startOf(processes),
      () => sweepFocusDirectories(db, directoryRoot, { keepDays: config.retention.directoriesDays, log }),
      () => sweepHomes(db, directoryRoot),
      () => sweepPackages(skillPackages),
      // Before the registration: its response may be lost.
      async () => closing.defer(() => deregister(db, daemonId, log)),
      () => registration.take(initial),
      () => resumeRestored(initial.faculties, { db, models, log }),
      ...services.inOrder.map(startOf),
    ],
    { clock, log, ending: signals.drain },
  );
  if (!started) return;
  if (options.openApi !== undefined && config.http.api) {
    const { version } = options;
    const api = await options.openApi({
      db,
      log,
      clock,
      version,
      settings: config.http,
      models: () => listModels(modelNames(config).models),
      config,
      embeddings: searchEmbeddings(models),
    });
    // A second signal does not wait for the requests under way.
    closing.defer(() => Promise.race([api.stop(), aborted(signals.abort)]));
    readiness.serveApi(api);
  }
  const names = [...registration.faculties().keys()];
  log.info(
    { database: db.where, faculties: names, max_concurrent: services.maxConcurrent(), isolation },
    'the daemon is ready for work',
  );
  readiness.enter('serving');
  await options.onReady?.({ db, daemonId, faculties: names, address: readiness.address() });
  if (telemetry.enabled) await startOf(createLoopDelay(clock))();
  if (options.watchdog) await startOf(createWatchdog({ db, clock, log, daemonId, leaseSeconds, logLevel }))();

  await aborted(AbortSignal.any([signals.drain, versionGuard.outdated]));
  if (versionGuard.outdated.aborted) log.error({}, messageOf(versionGuard.outdated.reason));
  readiness.enter('ending');
  await tellOfEnding(db, daemonId, log);
  await endFoci(controlPlane, services.shutdownGraceSeconds(), signals, clock, log);
  versionGuard.outdated.throwIfAborted();
}

/** All faculties of the directory. A daemon without a valid faculty does not start, nor one whose providers name a broken file. */
async function readFaculties(options: DaemonOptions, log: Log): Promise<Faculties> {
  const { facultiesDir, config, adapt } = options;
  const { faculties, problems, fatal } = await loadAtStart(resolve(facultiesDir), config, adapt);
  if (fatal[0] !== undefined) throw errorOf(fatal[0].code, fatal[0].details);
  if (faculties.size === 0) throw facultiesError(problems);
  for (const problem of problems)
    log.error({ file: problem.details['file'] }, `faculty not loaded: ${problem.message}`);
  return { faculties, problems };
}

/** Waits only briefly: the shutdown does not depend on it. */
async function tellOfEnding(db: Database, daemonId: string, log: Log): Promise<void> {
  const told = beginEnding(db, daemonId).catch((error: unknown) => {
    log.debug({ error: messageOf(error) }, 'could not record that this daemon is shutting down');
  });
  await Promise.race([told, systemClock.sleep(TELL_MS)]);
}

const TELL_MS = 1000;

async function deregister(db: Database, daemonId: string, log: Log): Promise<void> {
  try {
    await deregisterDaemon(db, daemonId);
  } catch (error) {
    log.warn(
      { error: String(error) },
      'could not deregister; `animus status` will show this daemon as lost for a while',
    );
  }
}
