/** Merges of memories, which can be undone (27_memory_merges.sql). */
import type { Queryable } from '../sql/database.ts';
import type { MemoryLayer } from './memories.ts';

/** A memory that is part of another. */
export interface MemoryMerge {
  readonly id: string;
  readonly intoId: string;
  /** `same_text`: it had the same text; `asked`: somebody merged them; `similar`: an earlier animus did, because of their embeddings. */
  readonly reason: 'same_text' | 'asked' | 'similar';
  readonly actor: string | null;
  readonly workItemId: string | null;
  readonly mergedAt: Date;
  readonly layer: MemoryLayer;
  readonly project: string | null;
  /** Of the memory that was merged. */
  readonly kind: string;
  readonly content: string;
  /** Found instead. */
  readonly intoContent: string;
  readonly submittedBy: string | null;
}

/** The merges that can be undone, of memories that the actor may see, newest first. `limit`: 1 to 1000. */
export async function listMemoryMerges(db: Queryable, limit: number): Promise<MemoryMerge[]> {
  return db.query<MemoryMerge>(
    `select id, into_id as "intoId", reason, actor, work_item_id as "workItemId", merged_at as "mergedAt", layer, project, kind, content,
            into_content as "intoContent", submitted_by as "submittedBy"
       from animus.list_memory_merges($1)`,
    [limit],
  );
}

/** Undoes the merge of a memory, and returns the one that it was part of. Errors: `work.not_found`, `work.state` for one that is not merged or whose merge others were built on, `db.forbidden`. */
export async function unmergeMemory(db: Queryable, id: string): Promise<string> {
  const [row] = await db.query<{ id: string }>('select animus.unmerge_memory($1) as id', [id]);
  return row!.id;
}
