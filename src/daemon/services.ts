/** Creates the services of a daemon from the resources it has opened; does not start them. */
import { resolve } from 'node:path';
import type { FixedConfig } from '../core/config/config.ts';
import type { Service } from '../core/lifecycle/service.ts';
import { createWake } from '../core/lifecycle/wake.ts';
import { type ControlPlane, createControlPlane } from './control/control-plane.ts';
import { createHeartbeat } from './control/heartbeat.ts';
import type { DaemonResources } from './daemon-resources.ts';
import { fociOf } from './foci.ts';
import { createFileGuard } from './guard/file-guard.ts';
import { listenForWork } from './listen.ts';
import { createRegistration } from './presence/registration.ts';
import { createVersionGuard } from './presence/version-guard.ts';
import { watchConfig } from './reload/config-reload.ts';
import { watchFaculties } from './reload/reload.ts';
import { createShelf } from './skills/shelf.ts';
import { createWrittenSkills } from './skills/written-skills.ts';
import { createBudgetKeeper } from './timers/budget-keeper.ts';
import { createInbox } from './timers/inbox.ts';
import { createJanitor } from './timers/janitor.ts';
import { createNotificationCheck } from './timers/notification-check.ts';
import { createQueueMetrics } from './timers/queue-metrics.ts';
import { createRecurringFindings } from './timers/recurring-findings.ts';
import { createSandboxWatch } from './timers/sandbox-watch.ts';
import { createWorktreeKeeper } from './timers/worktree-keeper.ts';

export function createServices(resources: DaemonResources) {
  const { options, initial, db, clock, log, host, daemonId, processes, models, readiness } = resources;
  const base = { db, clock, log };
  // Live settings cannot be read from it: they are those of `settings`, at each use.
  const config: FixedConfig = options.config;
  let holds = options.config;
  const settings = () => holds;
  const wake = createWake(clock);
  const maxConcurrent = () => options.maxConcurrent ?? settings().daemon.maxConcurrent;
  const { leaseSeconds, pollSeconds } = config.daemon;
  const facultiesDir = resolve(options.facultiesDir);
  const registration = createRegistration({
    ...base,
    settings,
    daemon: { id: daemonId, host, pid: process.pid, version: options.version },
    maxConcurrent,
  });
  const faculties = () => registration.faculties().values();
  const directories = options.skillsDirs ?? [];
  const guard = createFileGuard({
    config,
    env: process.env,
    cwd: process.cwd(),
    facultiesDir,
    skillsDirs: directories.map((directory) => resolve(directory)),
    faculties: registration.faculties,
    clock,
    log,
  });
  const shelf = createShelf({
    directories,
    clock,
    log,
    onChange: () => writtenSkills.ring(),
    onProblems: registration.reportOn('library'),
  });
  const writtenSkills = createWrittenSkills({
    ...base,
    host,
    directories,
    shelf,
    staleDays: config.skills.staleDays,
    onProblems: registration.reportOn('skills'),
  });
  const runFocus = fociOf(resources, { settings, guard, shelf, registration, plane: () => controlPlane });
  const versionGuard = createVersionGuard(db, clock);
  const reportClaims = registration.reportOn('claims');
  const controlPlane: ControlPlane = createControlPlane({
    ...base,
    daemonId,
    wake,
    leaseSeconds,
    settings: () => ({
      maxConcurrent: maxConcurrent(),
      pollSeconds,
      focusHostGraceSeconds: settings().daemon.focusHostGraceSeconds,
    }),
    faculties: registration.faculties,
    processes,
    onClaimProblems: (problems) => void reportClaims(problems),
    runFocus,
  });
  const heartbeat = createHeartbeat({ ...base, daemonId, leaseSeconds, running: controlPlane.running });
  const inbox = createInbox({ ...base, pollSeconds });
  const retention = () => settings().retention;
  const janitor = createJanitor({
    ...base,
    retention,
    directoryRoot: resources.directoryRoot,
    prunes: resources.parts.prunes,
  });
  const worktreeKeeper = createWorktreeKeeper({ ...base, home: config.home, retention });
  const findings = createRecurringFindings({
    ...base,
    daemonId,
    models,
    registration,
    settings: () => settings().skills,
  });
  const parts = resources.parts.services.map((create) =>
    create({
      ...base,
      daemonId,
      settings,
      faculties,
      models,
      batches: models.batches,
      report: registration.reportOn('part'),
    }),
  );
  const budgetKeeper = createBudgetKeeper({ ...base, daemonId, registration, budget: () => settings().budget });
  const notifications = listenForWork({ db, log, daemonId, wake, beat: heartbeat.beat, inbox, skills: writtenSkills });
  readiness.watchNotifications(notifications);
  const notificationCheck = createNotificationCheck({ db, log, pollSeconds, onProblem: registration.fault });
  const sandboxWatch = createSandboxWatch({
    clock,
    containers: resources.containers,
    codeImage: config.sandbox.image,
    faculties,
    onProblems: registration.sandboxProblems,
  });
  const queueMetrics = resources.exportsMetrics ? [createQueueMetrics(db, clock, log)] : [];
  const reload = watchFaculties({
    directory: facultiesDir,
    initial,
    load: () => resources.load(settings()),
    onChange: async (changed) => {
      await registration.take(changed);
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
      findings.settingsChanged();
      reload.look();
      wake.ring();
    },
    onProblems: registration.reportOn('config'),
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
    /** In start order. */
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
      janitor,
      worktreeKeeper,
      findings,
      ...parts,
      reload,
      reloadConfig,
      versionGuard,
      notificationCheck,
      sandboxWatch,
      ...queueMetrics,
    ] as readonly Service[],
  };
}
