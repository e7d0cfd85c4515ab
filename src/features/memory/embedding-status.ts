/** The state of the embeddings of memories. */
import type { Queryable } from '../../store/sql/database.ts';
import { counted, grouped } from '../../terminal/view/quantities.ts';
import type { EmbeddingStatus } from './feature.ts';

export interface Embeddings {
  /** Whether the database has pgvector; `reason`: why not. */
  readonly vector: boolean;
  readonly reason: string | null;
  /** Null: no daemon has run with an embedding model. */
  readonly current: EmbeddingStatus | null;
}

/** Reads it in one cheap call. */
export async function readEmbeddings(db: Queryable): Promise<Embeddings> {
  const [row] = await db.query<{
    status: { embeddings: EmbeddingStatus | null };
    vector: boolean;
    reason: string | null;
  }>(
    `select animus.embedding_status() as status, exists (select from pg_catalog.pg_extension where extname = 'vector') as vector,
            (select value ->> 'reason' from animus.settings where key = 'memory') as reason`,
  );
  return { vector: row!.vector, reason: row!.reason, current: row!.status.embeddings };
}

/** The same in a sentence. */
export function embeddingsLine({ vector, reason, current }: Embeddings): string {
  if (!vector) return `memories are searched by words alone: ${reason ?? 'pgvector is not installed in this database'}`;
  if (current === null)
    return 'memories are searched by words alone: no daemon has run with an embedding model yet ([embeddings] in animus.toml)';
  const { model, dimensions, missing, problem } = current;
  const made = `embeddings of ${model} with ${grouped(dimensions)} dimensions`;
  if (missing === 0) return `every memory has its embedding: ${made}`;
  const lack = `${missing >= 10_000 ? 'more than 10,000 memories have' : `${counted(missing, 'memory', 'memories')} ${missing === 1 ? 'has' : 'have'}`} none yet`;
  return `${made}; ${lack}${problem === null ? '' : `; the last attempt failed: ${problem}`}`;
}
