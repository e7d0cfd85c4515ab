/** Runs the foci of a daemon: says what each of them may reach, and what the daemon does when a provider fails. */
import { join } from 'node:path';
import type { Config } from '../core/config/config.ts';
import { createFocusBeginner } from '../store/transcript/begin-foci.ts';
import { createTurnKeeper } from '../store/transcript/budgeted-turns.ts';
import { createWorkCompleter } from '../store/work/claimed/work-completer.ts';
import { shareAwareness } from './awareness/shared-awareness.ts';
import type { ControlPlane } from './control/control-plane.ts';
import type { RunFocus } from './control/slots.ts';
import type { DaemonResources } from './daemon-resources.ts';
import { daemonTools } from './daemon-tools.ts';
import { type FocusDaemon, runFocus } from './focus/run-focus.ts';
import { bashContainers } from './focus/scope/bash-container.ts';
import type { HostReach, SharedReach, SkillReach } from './focus/scope/focus-scope.ts';
import { createSkillStore } from './focus/scope/skill-store.ts';
import type { FileGuard } from './guard/file-guard.ts';
import { listedVariables } from './guard/listed-variables.ts';
import type { Registration } from './presence/registration.ts';
import type { SkillShelf } from './skills/shelf.ts';
import { realDirectoryRoot } from './workspace/focus-directory.ts';

/** The services that foci use. */
export interface FocusServices {
  /** As configured now. */
  readonly settings: () => Config;
  readonly guard: FileGuard;
  readonly shelf: SkillShelf;
  readonly registration: Registration;
  /** It runs the foci, so it is made after this. */
  readonly plane: () => ControlPlane;
}

/** Runs each of them in the same surroundings. */
export function fociOf(resources: DaemonResources, services: FocusServices): RunFocus {
  const { db, clock, log, models } = resources;
  const hostNow = hostOf(resources, services);
  const skills: SkillReach = {
    shelf: services.shelf,
    store: createSkillStore(db),
    packages: resources.skillPackages,
  };
  const shared: SharedReach = {
    keepTurn: createTurnKeeper(db),
    awareness: shareAwareness(db, clock, log),
    unattended: resources.options.unattended ?? false,
  };
  const daemon = focusDaemon(resources, services);
  return (work, faculty, control, lease) => {
    const reach = { db, clock, lease, log, host: hostNow(), models, skills, shared };
    return runFocus(work, faculty, control, reach, { ...daemon, ends: services.plane().ends });
  };
}

/** The environment and the lists of a running daemon do not change. */
function hostOf(
  { options, host, processes, isolation, containers, directoryRoot, log }: DaemonResources,
  { settings, guard }: FocusServices,
): () => HostReach {
  const { config } = options;
  const fixed = {
    processes,
    isolation,
    guard,
    realRoot: realDirectoryRoot(directoryRoot),
    name: host,
    bashContainer: bashContainers({ containers, config, settings, log }),
    hookEnvironment: listedVariables(config.hooks.environment, config, process.env),
  };
  const root = join(config.home, 'worktrees');
  return () => ({ ...fixed, worktrees: { root, commitEmail: settings().daemon.commitEmail } });
}

function focusDaemon(
  resources: DaemonResources,
  { settings, shelf, registration, plane }: FocusServices,
): Omit<FocusDaemon, 'ends'> {
  const { options, db, clock, log, host, directoryRoot } = resources;
  return {
    beginning: {
      directoryRoot,
      toolSources: daemonTools(resources, settings, shelf),
      onEvent: options.onEvent ?? (() => {}),
      beginNew: createFocusBeginner(db, { host, directoryRoot }),
    },
    leaseSeconds: options.config.daemon.leaseSeconds,
    settings,
    completer: createWorkCompleter(db),
    holdFaculty: (name, seconds, reason) => {
      log.warn(
        { faculty: name, seconds, reason },
        'the model provider is failing: no new work is claimed for the faculty for a while',
      );
      plane().hold(name, clock.monotonicMs() + seconds * 1000);
      return registration.trouble(name, reason, seconds);
    },
    workedOn: registration.worked,
  };
}
