/** The services that keep the tables in order: what is old, the worktrees of ended work, and what recurs in findings. */
import type { Config } from '../../core/config/config.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import { createJanitor, type JanitorMeans } from './janitor.ts';
import { createRecurringFindings, type RecurringFindingsMeans } from './recurring-findings.ts';
import { createWorktreeKeeper } from './worktree-keeper.ts';

interface UpkeepMeans
  extends Omit<RecurringFindingsMeans, 'registration' | 'settings'>,
    Omit<JanitorMeans, 'retention' | 'prunes'> {
  readonly parts: { readonly prunes: JanitorMeans['prunes'] };
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
  means: UpkeepMeans,
  registration: RecurringFindingsMeans['registration'],
  settings: () => Pick<Config, 'retention' | 'skills'>,
): Upkeep {
  const { db, clock, log, daemonId, models, directoryRoot, home } = means;
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
    createJanitor({ db, clock, log, retention: () => settings().retention, directoryRoot, prunes: means.parts.prunes }),
    createWorktreeKeeper({ db, clock, log, home, retention: () => settings().retention }),
    findings,
  ];
  return { services, settingsChanged: () => findings.settingsChanged() };
}
