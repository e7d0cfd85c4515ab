import type { AnyPage, Place } from '../../store/events/places.ts';
import type { Queryable } from '../../store/sql/database.ts';

/** With whose rights events are read. Both reject when they may no longer read. */
export interface Eyes {
  /** The same for readers with exactly the same rights, such as the id of a token: they may read for each other. */
  readonly key: string;
  /** The next events of each, in one statement: a reader that waits for an event waits for this. Null for what is not there, or what they may not see. */
  readonly read: (wanted: readonly Place[], limit?: number) => Promise<readonly (AnyPage | null)[]>;
  /** Runs `look` in one transaction in which SQL sees them as the actor. */
  readonly look: <T>(look: (tx: Queryable) => Promise<T>) => Promise<T>;
}
