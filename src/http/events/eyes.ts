import type { Queryable } from '../../store/sql/database.ts';

/** With whose rights events are read. */
export interface Eyes {
  /** Who it is: readers with the same name may read for each other. */
  readonly actor: string;
  /** Runs `look` in one transaction in which SQL sees them as the actor. Rejects when they may not read any more. */
  readonly look: <T>(look: (tx: Queryable) => Promise<T>) => Promise<T>;
}
