/** Resumes work that waits for a person because it had lost its provider, if that provider is configured again. */
import type { Faculty } from '../../../catalog/faculty/faculty.ts';
import type { Queryable } from '../../../store/sql/database.ts';
import { endProviderAsk, type ProviderAsk, providerAsks } from '../../../store/transcript/provider-asks.ts';
import type { Log } from '../../../telemetry/log.ts';
import type { ModelSource } from '../../models/focus-model.ts';
import { hasPrice } from './ask-for-model.ts';
import { asBegun } from './begun-faculty.ts';

/** What the daemon that starts has. */
interface Restored {
  readonly db: Queryable;
  readonly models: Pick<ModelSource, 'kept' | 'forFocus'>;
  readonly log: Log;
}

/** For a daemon that starts: its providers and prices stay as they are until it stops. */
export async function resumeRestored(
  faculties: ReadonlyMap<string, Faculty>,
  { db, models, log }: Restored,
): Promise<void> {
  let resumed = 0;
  for (const ask of await providerAsks(db, [...faculties.keys()])) {
    if (isRestored(ask, faculties.get(ask.faculty)!, models) && (await endProviderAsk(db, ask))) resumed += 1;
  }
  if (resumed > 0) log.info({ work_items: resumed }, 'resumed work whose provider is configured again');
}

function isRestored({ engage, isPrice }: ProviderAsk, loaded: Faculty, models: Restored['models']): boolean {
  const kept = models.kept(asBegun(loaded, { engage }));
  return 'faculty' in kept && (!isPrice || hasPrice(kept.faculty, models));
}
