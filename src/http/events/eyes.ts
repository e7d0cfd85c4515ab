import type { Queryable } from '../../store/sql/database.ts';

/** With whose rights events are read. */
export interface Eyes {
  /** The same for readers with exactly the same rights, such as the id of a token: they may read for each other. */
  readonly key: string;
  /** Runs `look` in one transaction in which SQL sees them as the actor. Rejects when they may not read any more. */
  readonly look: <T>(look: (tx: Queryable) => Promise<T>) => Promise<T>;
}
