/** The services that keep the tables in order: what is old, the worktrees of ended work, and what recurs in findings. */
import type { Config } from '../../core/config/config.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import { type CleanedDaemon, createJanitor } from './janitor.ts';
import { createRecurringFindings, type FindingsDaemon } from './recurring-findings.ts';
import { createWorktreeKeeper } from './worktree-keeper.ts';

interface UpkeptDaemon
  extends Omit<FindingsDaemon, 'registration' | 'settings'>,
    Omit<CleanedDaemon, 'retention' | 'prunes'> {
  readonly parts: { readonly prunes: CleanedDaemon['prunes'] };
  /** ANIMUS_HOME, absolute. */
  readonly home: string;
}

export interface Upkeep {
  /** In start order. */
  readonly services: readonly Service[];
  /** To be called when one of the settings is another. */
  settingsChanged(): void;
}

/** `settings`: the current ones. */
export function createUpkeep(
  daemon: UpkeptDaemon,
  registration: FindingsDaemon['registration'],
  settings: () => Pick<Config, 'retention' | 'skills'>,
): Upkeep {
  const { db, clock, log, daemonId, models, directoryRoot, home } = daemon;
  const findings = createRecurringFindings({
    db,
    clock,
    log,
    daemonId,
    models,
    registration,
    settings: () => settings().skills,
  });
  const services = [
    createJanitor({
      db,
      clock,
      log,
      retention: () => settings().retention,
      directoryRoot,
      prunes: daemon.parts.prunes,
    }),
    createWorktreeKeeper({ db, clock, log, home, retention: () => settings().retention }),
    findings,
  ];
  return { services, settingsChanged: () => findings.settingsChanged() };
}
