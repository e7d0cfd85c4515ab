/** Creates the services of a daemon from the resources it has opened; does not start them. */
import { join, resolve } from 'node:path';
import type { FixedConfig } from '../core/config/config.ts';
import type { Service } from '../core/lifecycle/service.ts';
import { createWake } from '../core/lifecycle/wake.ts';
import { createFocusBeginner } from '../store/transcript/begin-foci.ts';
import { createTurnKeeper } from '../store/transcript/budgeted-turns.ts';
import { createWorkCompleter } from '../store/work/work-completer.ts';
import { shareAwareness } from './awareness/shared-awareness.ts';
import { type ControlPlane, createControlPlane } from './control/control-plane.ts';
import { createHeartbeat } from './control/heartbeat.ts';
import { daemonTools } from './daemon-tools.ts';
import { runFocus } from './focus/run-focus.ts';
import { bashContainers } from './focus/scope/bash-container.ts';
import { createSkillStore } from './focus/scope/skill-store.ts';
import { createFileGuard, type FileGuard } from './guard/file-guard.ts';
import { hookEnvironment } from './hooks/hook-environment.ts';
import { listenForWork } from './listen.ts';
import { createRegistration, type Registration } from './presence/registration.ts';
import { createVersionGuard, type VersionGuard } from './presence/version-guard.ts';
import { watchConfig } from './reload/config-reload.ts';
import { watchFaculties } from './reload/reload.ts';
import type { ServiceMeans } from './service-means.ts';
import { createShelf } from './skills/shelf.ts';
import { createWrittenSkills } from './skills/written-skills.ts';
import { createBudgetKeeper } from './timers/budget-keeper.ts';
import { createHearing } from './timers/hearing.ts';
import { createInbox } from './timers/inbox.ts';
import { createMcpWatch } from './timers/mcp-watch.ts';
import { createQueueMetrics } from './timers/queue-metrics.ts';
import { createSandboxWatch } from './timers/sandbox-watch.ts';
import { createUpkeep } from './timers/upkeep.ts';
import { realDirectoryRoot } from './workspace/focus-directory.ts';

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

export function createServices(means: ServiceMeans): DaemonServices {
  const { options, initial, db, clock, log, host, daemonId, processes, models, isolation, readiness, directoryRoot } =
    means;
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
  const tools = daemonTools(means, { web: () => settings().web, sandbox: () => means.sandbox, skills: shelf.ready });
  const bashContainer = bashContainers({ containers: means.containers, config, settings, log });
  const completer = createWorkCompleter(db);
  const beginNew = createFocusBeginner(db, { host, directoryRoot });
  const keepTurn = createTurnKeeper(db);
  const awareness = shareAwareness({ db, clock, log });
  const skillStore = createSkillStore(db);
  const realRoot = realDirectoryRoot(directoryRoot);
  // The environment and the lists of a running daemon do not change.
  const environment = hookEnvironment(config, process.env);
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
    runFocus: (work, faculty, control, lease) =>
      runFocus(work, faculty, control, {
        lease,
        db,
        clock,
        log,
        processes,
        models,
        bashContainer,
        host,
        directoryRoot,
        realRoot,
        worktrees: { root: join(config.home, 'worktrees'), commitEmail: settings().daemon.commitEmail },
        beginNew,
        keepTurn,
        awareness,
        skills: shelf,
        skillStore,
        skillPackages: means.skillPackages,
        isolation,
        guard,
        hookEnvironment: environment,
        unattended: options.unattended ?? false,
        leaseSeconds,
        settings,
        completer,
        ends: controlPlane.ends,
        toolSources: tools,
        onEvent: options.onEvent ?? (() => {}),
        holdFaculty: (name, seconds, reason) => {
          log.warn(
            { faculty: name, seconds, reason },
            'the model provider is failing: no new work is claimed for the faculty for a while',
          );
          controlPlane.hold(name, clock.monotonicMs() + seconds * 1000);
          return registration.trouble(name, reason, seconds);
        },
        workedOn: registration.worked,
      }),
  });
  const heartbeat = createHeartbeat({ db, clock, log, daemonId, leaseSeconds, running: controlPlane.running });
  const inbox = createInbox({ db, clock, log, pollSeconds });
  const upkeep = createUpkeep({ ...means, home: config.home }, registration, settings);
  const parts = means.parts.services.map((create) =>
    create({
      db,
      clock,
      log,
      daemonId,
      settings,
      models,
      batches: models.batches,
      report: registration.partReport(),
    }),
  );
  const budgetKeeper = createBudgetKeeper({ db, clock, log, daemonId, registration, budget: () => settings().budget });
  const notifications = listenForWork({ db, log, daemonId, wake, beat: heartbeat.beat, inbox, skills: writtenSkills });
  readiness.watchNotifications(notifications);
  const hearing = createHearing({ db, log, pollSeconds, onDeaf: registration.fault });
  const mcpWatch = createMcpWatch({
    db,
    clock,
    log,
    pollSeconds,
    faculties: () => registration.faculties().values(),
    onRemarks: registration.mcpProblems,
  });
  const sandboxWatch = createSandboxWatch({
    clock,
    containers: means.containers,
    codeImage: config.sandbox.image,
    faculties: () => registration.faculties().values(),
    onProblems: registration.sandboxProblems,
  });
  const queueMetrics = means.exportsMetrics ? [createQueueMetrics({ db, clock, log })] : [];
  const reload = watchFaculties({
    directory: resolve(options.facultiesDir),
    initial,
    load: () => means.load(settings()),
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
      means.sandbox,
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
      mcpWatch,
      sandboxWatch,
      ...queueMetrics,
    ],
  };
}
