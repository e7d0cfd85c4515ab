/** What is remembered, in numbers. */
import type { Queryable } from '../sql/database.ts';
import type { MemoryLayer } from './memories.ts';

/** Of one layer. */
export interface LayerStats {
  readonly memories: number;
  /** Duplicates that were merged into them. */
  readonly merged: number;
  /** With an embedding of the current model. */
  readonly embedded: number;
  /** Whose text the current model refuses. */
  readonly refused: number;
  /** Of texts. */
  readonly bytes: number;
  /** How many a task, a project or a submitter may have. */
  readonly limit: number;
  /** Tasks, projects or submitters that have some. */
  readonly places: number;
}

export interface MemoryStats {
  readonly layers: Readonly<Record<MemoryLayer, LayerStats>>;
  /** The model of the embeddings; null: none was prepared. */
  readonly model: { readonly model: string; readonly dimensions: number } | null;
}

/** Reads all memories: 0.1 s at 100,000. */
export async function memoryStats(db: Queryable): Promise<MemoryStats> {
  const [row] = await db.query<{ stats: MemoryStats }>('select animus.memory_stats() as stats');
  return row!.stats;
}

/** The same for those who see all work, in the transaction of a gateway, with how the embeddings stand. Errors: `db.forbidden`. */
export async function visibleMemoryStats(tx: Queryable): Promise<MemoryStats & { readonly embeddings: unknown }> {
  const [row] = await tx.query<{ stats: MemoryStats & { readonly embeddings: unknown } }>(
    'select animus.visible_memory_stats() as stats',
  );
  return row!.stats;
}
