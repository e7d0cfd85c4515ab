/** Parts of `animus.visible_status` that others than `animus status` read. */
import type { Queryable } from '../sql/database.ts';
import { readValue } from '../sql/read-value.ts';

/** What the metrics of the queue are made of. */
export interface QueueStatus {
  readonly at: string;
  readonly queue: readonly {
    readonly faculty: string;
    readonly queued: number;
    readonly oldest_at: string | null;
    /** A live daemon serves it. */
    readonly routable: boolean;
  }[];
  /** How many skills no work has used for so many days. */
  readonly stale_skills: { readonly count: number; readonly days: number };
}

/** Reads it in one cheap call. */
export async function readQueueStatus(db: Queryable): Promise<QueueStatus> {
  return readValue<QueueStatus>(db, 'select animus.status() || animus.skill_status()');
}

/** `open`: work goes on in them. `held`: of the kept ones, those with something that is on no branch. */
export interface WorktreesStatus {
  readonly host: string;
  readonly kept: number;
  readonly open: number;
  readonly held: number;
  /** As far as they were counted. */
  readonly bytes: number;
  /** That somebody has discarded, and the daemon of the host has not removed yet. */
  readonly discarding: number;
}

/** The directories of worktrees alone, by host. Null: the schema does not know them yet. */
export async function readWorktreesStatus(db: Queryable): Promise<readonly WorktreesStatus[] | null> {
  const isKnown = await readValue<boolean>(db, `select to_regprocedure('animus.worktree_status()') is not null`);
  return isKnown ? readValue<WorktreesStatus[]>(db, `select animus.worktree_status() -> 'worktrees'`) : null;
}
