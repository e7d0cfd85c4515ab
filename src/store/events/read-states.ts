/** The states of all work that the actor may see. */
import type { WorkState } from '../../core/work/work.ts';
import type { Queryable } from '../sql/database.ts';

export interface StateOfWork {
  readonly id: string;
  readonly faculty: string;
  readonly state: WorkState;
  /** The first 200 characters. */
  readonly description: string;
  readonly parentId: string | null;
  readonly mergedInto: string | null;
  readonly createdAt: Date;
  readonly resolvedAt: Date | null;
}

/** What is active or waits, what ended since then, and the newest items, at most 200 of each. */
export async function readStates(db: Queryable, since: Date | null): Promise<StateOfWork[]> {
  return db.query<StateOfWork>(
    `select id, faculty, state, description, parent_id as "parentId", merged_into as "mergedInto", created_at as "createdAt", resolved_at as "resolvedAt"
       from animus.read_states($1)`,
    [since],
  );
}
