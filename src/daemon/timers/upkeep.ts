/** The services that keep the tables in order: what is old, the worktrees of ended work, what is added up, what memories lack, what recurs in findings, and what webhooks have to send. */
import type { Config } from '../../core/config/config.ts';
import { webhookKeys } from '../../core/config/sections/webhooks.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import { parseWebTarget } from '../../core/text/web-target.ts';
import { type BackfillMeans, createEmbeddingBackfill } from './embedding-backfill.ts';
import { createJanitor, type JanitorMeans } from './janitor.ts';
import { createRecurringFindings, type RecurringFindingsMeans } from './recurring-findings.ts';
import { createSpendRollUp } from './spend-roll-up.ts';
import { createWebhookSender } from './webhook-sender.ts';
import { createWorktreeKeeper } from './worktree-keeper.ts';

interface UpkeepMeans extends Omit<BackfillMeans, 'registration'>, Omit<JanitorMeans, 'retention'> {
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
  registration: BackfillMeans['registration'] & RecurringFindingsMeans['registration'],
  settings: () => Pick<Config, 'retention' | 'skills' | 'webhooks'>,
): Upkeep {
  const { db, clock, log, daemonId, models, directoryRoot, home } = means;
  const reach = () => ({ allow: settings().webhooks.allow.flatMap((target) => parseWebTarget(target) ?? []) });
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
    createJanitor({ db, clock, log, retention: () => settings().retention, directoryRoot }),
    createWorktreeKeeper({ db, clock, log, home, retention: () => settings().retention }),
    createSpendRollUp({ db, clock, log }),
    createEmbeddingBackfill({ db, clock, log, daemonId, models, registration }),
    findings,
    createWebhookSender({ db, clock, log, keys: webhookKeys(settings().webhooks), reach }),
  ];
  return { services, settingsChanged: () => findings.settingsChanged() };
}
