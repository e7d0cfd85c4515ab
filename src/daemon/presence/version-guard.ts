/** Detects, while the daemon runs, that the schema has become too new for it. */

import { type AnimusError, isAnimusError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import { createLoop } from '../../core/lifecycle/loop.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import { checkCompatible } from '../../store/migrations/compatibility.ts';
import type { Database } from '../../store/sql/database.ts';

export interface VersionGuard extends Service {
  /** Aborted with `db.schema_newer` once `min_client` is above this animus. */
  readonly outdated: AbortSignal;
}

const EVERY_MS = 30_000;

/** Checks every 30 s. Ignores other failures of the database. */
export function createVersionGuard(db: Database, clock: Clock, everyMs = EVERY_MS): VersionGuard {
  const outdated = new AbortController();
  const loop = createLoop(async (stopping) => {
    while (!stopping.aborted && !outdated.signal.aborted) {
      await clock.sleep(everyMs, stopping);
      const refusal = await refusalOf(db);
      if (refusal) outdated.abort(refusal);
    }
  });
  return { ...loop, outdated: outdated.signal };
}

async function refusalOf(db: Database): Promise<AnimusError | null> {
  try {
    await checkCompatible(db);
    return null;
  } catch (error) {
    return isAnimusError(error, 'db.schema_newer') ? error : null;
  }
}
