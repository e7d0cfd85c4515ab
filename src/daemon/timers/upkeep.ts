/** The services that keep the tables in order: what is old, what is added up, and what memories lack. */
import type { RetentionConfig } from '../../core/config/config.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import { type BackfillMeans, createEmbeddingBackfill } from './embedding-backfill.ts';
import { createJanitor, type JanitorMeans } from './janitor.ts';
import { createSpendRollUp } from './spend-roll-up.ts';

interface UpkeepMeans extends Omit<BackfillMeans, 'registration'>, Omit<JanitorMeans, 'retention'> {}

/** In start order. `retention`: the current setting. */
export function createUpkeep(
  means: UpkeepMeans,
  registration: BackfillMeans['registration'],
  retention: () => RetentionConfig,
): readonly Service[] {
  const { db, clock, log, daemonId, models, directoryRoot } = means;
  return [
    createJanitor({ db, clock, log, retention, directoryRoot }),
    createSpendRollUp({ db, clock, log }),
    createEmbeddingBackfill({ db, clock, log, daemonId, models, registration }),
  ];
}
