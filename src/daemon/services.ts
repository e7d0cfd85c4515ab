/** Creates the services of a daemon from the resources it has opened; does not start them. */
import { resolve } from 'node:path';
import type { FixedConfig } from '../core/config/config.ts';
import type { Service } from '../core/lifecycle/service.ts';
import { createWake } from '../core/lifecycle/wake.ts';
import { type ControlPlane, createControlPlane } from './control/control-plane.ts';
import { createHeartbeat } from './control/heartbeat.ts';
import type { DaemonResources } from './daemon-resources.ts';
import { fociOf } from './foci.ts';
import { createFileGuard, type FileGuard } from './guard/file-guard.ts';
import { listenForWork } from './listen.ts';
import { createRegistration, type Registration } from './presence/registration.ts';
import { createVersionGuard, type VersionGuard } from './presence/version-guard.ts';
import { watchConfig } from './reload/config-reload.ts';
import { watchFaculties } from './reload/reload.ts';
import { createShelf } from './skills/shelf.ts';
import { createWrittenSkills } from './skills/written-skills.ts';
import { createBudgetKeeper } from './timers/budget-keeper.ts';
import { createHearing } from './timers/hearing.ts';
import { createInbox } from './timers/inbox.ts';
import { createQueueMetrics } from './timers/queue-metrics.ts';
import { createSandboxWatch } from './timers/sandbox-watch.ts';
import { createUpkeep } from './timers/upkeep.ts';

export interface DaemonServices {
  readonly controlPlane: ControlPlane;
  readonly registration: Registration;
  readonly versionGuard: VersionGuard;
  readonly guard: FileGuard;
  readonly maxConcurrent: () => number;
  readonly shutdownGraceSeconds: () => number;
  /** In start order. */
  readonly inOrder: readonly Service[];
}

export function createServices(resources: DaemonResources): DaemonServices {
  const { options, initial, db, clock, log, host, daemonId, processes, models, readiness } = resources;
  // Live settings cannot be read from it: they are those of `settings`, at each use.
  const config: FixedConfig = options.config;
  let holds = options.config;
  const settings = () => holds;
  const wake = createWake(clock);
  const maxConcurrent = () => options.maxConcurrent ?? settings().daemon.maxConcurrent;
  const { leaseSeconds, pollSeconds } = config.daemon;
  const registration = createRegistration({
    db,
    clock,
    log,
    settings,
    daemon: { id: daemonId, host, pid: process.pid, version: options.version },
    maxConcurrent,
  });
  const guard = createFileGuard({
    config,
    env: process.env,
    cwd: process.cwd(),
    facultiesDir: resolve(options.facultiesDir),
    skillsDirs: (options.skillsDirs ?? []).map((directory) => resolve(directory)),
    faculties: () => registration.faculties().values(),
    log,
  });
  const directories = options.skillsDirs ?? [];
  const shelf = createShelf({
    directories,
    clock,
    log,
    onChange: () => writtenSkills.ring(),
    onProblems: registration.libraryProblems,
  });
  const writtenSkills = createWrittenSkills({
    db,
    clock,
    log,
    host,
    directories,
    shelf,
    staleDays: config.skills.staleDays,
    onProblems: registration.skillProblems,
  });
  const runFocus = fociOf(resources, { settings, guard, shelf, registration, plane: () => controlPlane });
  const versionGuard = createVersionGuard(db, clock);
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
      focusHostGraceSeconds: settings().daemon.focusHostGraceSeconds,
    }),
    faculties: registration.faculties,
    processes,
    onClaimProblems: (problems) => void registration.claimProblems(problems),
    runFocus,
  });
  const heartbeat = createHeartbeat({ db, clock, log, daemonId, leaseSeconds, running: controlPlane.running });
  const inbox = createInbox({ db, clock, log, pollSeconds });
  const upkeep = createUpkeep({ ...resources, home: config.home }, registration, settings);
  const faculties = () => registration.faculties().values();
  const parts = resources.parts.services.map((create) =>
    create({
      db,
      clock,
      log,
      daemonId,
      settings,
      faculties,
      models,
      batches: models.batches,
      report: registration.partReport(),
    }),
  );
  const budgetKeeper = createBudgetKeeper({ db, clock, log, daemonId, registration, budget: () => settings().budget });
  const notifications = listenForWork({ db, log, daemonId, wake, beat: heartbeat.beat, inbox, skills: writtenSkills });
  readiness.watchNotifications(notifications);
  const hearing = createHearing({ db, log, pollSeconds, onDeaf: registration.fault });
  const sandboxWatch = createSandboxWatch({
    clock,
    containers: resources.containers,
    codeImage: config.sandbox.image,
    faculties,
    onProblems: registration.sandboxProblems,
  });
  const queueMetrics = resources.exportsMetrics ? [createQueueMetrics(db, clock, log)] : [];
  const reload = watchFaculties({
    directory: resolve(options.facultiesDir),
    initial,
    load: () => resources.load(settings()),
    onChange: async (faculties) => {
      await registration.take(faculties);
      await budgetKeeper.declare();
      wake.ring();
    },
    clock,
    log,
  });
  const reloadConfig = watchConfig({
    initial: options.config,
    load: options.reloadConfig ?? (() => options.config),
    onChange(changed) {
      holds = changed;
      budgetKeeper.look();
      upkeep.settingsChanged();
      reload.look();
      wake.ring();
    },
    onProblems: registration.configProblems,
    clock,
    log,
  });
  return {
    controlPlane,
    registration,
    versionGuard,
    guard,
    maxConcurrent,
    shutdownGraceSeconds: () => settings().daemon.shutdownGraceSeconds,
    inOrder: [
      resources.sandbox,
      // Before the first claim: foci ask for skills.
      shelf,
      writtenSkills,
      notifications,
      heartbeat,
      budgetKeeper,
      controlPlane,
      inbox,
      ...upkeep.services,
      ...parts,
      reload,
      reloadConfig,
      versionGuard,
      hearing,
      sandboxWatch,
      ...queueMetrics,
    ],
  };
}
