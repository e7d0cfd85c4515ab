/** The lease under which one daemon alone asks a model for embeddings that no focus asks for. */
import { AnimusError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import { type Lease, timedLease } from '../../core/lifecycle/lease.ts';
import type { Database } from '../../store/sql/database.ts';
import { type EmbeddingTurn, extendEmbedding } from '../../store/work/embedding-turns.ts';

/** How long a daemon that was killed keeps others from making embeddings. */
export const HOLD_SECONDS = 30;

/** Begins now, before the database is asked for it. */
export function embeddingLease(db: Database, clock: Clock, turn: EmbeddingTurn): Lease {
  return timedLease(clock, HOLD_SECONDS * 1000, () => holdOn(db, turn));
}

/** Extends it. Errors: `work.lease_lost`. */
export async function holdOn(db: Database, turn: EmbeddingTurn): Promise<void> {
  if (await extendEmbedding(db, turn, HOLD_SECONDS)) return;
  throw new AnimusError('work.lease_lost', { held: `the embeddings of ${turn.model}` });
}
