/** Embeddings of memories, where the database has pgvector: one per memory, of the model that was prepared last. */
import type { Queryable } from '../../store/sql/database.ts';
import { toText } from '../../store/sql/json.ts';
import { readValue } from '../../store/sql/read-value.ts';

/** A model with its dimension: one without the other is another model. */
export interface EmbeddingModel {
  readonly model: string;
  /** 1 to 16,000; an index exists up to 4,000. */
  readonly dimensions: number;
}

/** A model at a provider: with another place, it is another model, even if its name is the same. */
export interface PlacedModel extends EmbeddingModel {
  /** Kind and address, such as `openai at https://api.openai.com/v1`. Default: not known, and any place counts as the same. */
  readonly place?: string;
}

/** A memory whose text has no embedding yet. `digest` is that of the text: give it back with the embedding. */
export interface Unembedded {
  readonly id: string;
  readonly content: string;
  readonly digest: string;
}

/** Cosine above which two texts of one place are linked, and each is shown with the other. */
export const LINK_SIMILARITY = 0.97;

/**
 * Makes the table and the HNSW index for embeddings of a model, and makes it the current one. Call it once per start: where two
 * daemons disagree, the last one wins, and the other gets nothing to embed. Idempotent. `reason`: why it is not ready.
 */
export async function prepareEmbeddings(
  db: Queryable,
  { model, dimensions, place }: PlacedModel,
): Promise<{ readonly ready: boolean; readonly reason: string | null }> {
  const [row] = await db.query<{ ready: boolean; reason: string | null }>(
    'select ready, reason from animus.prepare_embeddings($1, $2, $3)',
    [toText(model), dimensions, toText(place)],
  );
  return row!;
}

/** At most `limit` memories without an embedding of this model; none unless it is the current one. */
export async function unembedded(
  db: Queryable,
  { model, dimensions }: EmbeddingModel,
  limit: number,
): Promise<Unembedded[]> {
  return db.query<Unembedded>('select id, content, digest from animus.unembedded_memories($1, $2, $3)', [
    toText(model),
    dimensions,
    limit,
  ]);
}

/** Stores embeddings and returns how many: memories that were changed, deleted or locked meanwhile are skipped and come again. Errors: `work.invalid` for a wrong dimension, `work.not_found` for a model that was not prepared. */
export async function storeEmbeddings(
  db: Queryable,
  { model, dimensions }: EmbeddingModel,
  rows: readonly (Omit<Unembedded, 'content'> & { readonly vector: readonly number[] })[],
): Promise<number> {
  return readValue<number>(db, 'select animus.store_embeddings($1, $2, $3::uuid[], $4::text[], $5::text[])', [
    toText(model),
    dimensions,
    ...columns(rows),
    rows.map(({ vector }) => JSON.stringify(vector)),
  ]);
}

/** Records that the model refuses these texts, so that they are not tried again until they change. Returns how many. */
export async function skipEmbeddings(
  db: Queryable,
  { model, dimensions }: EmbeddingModel,
  rows: readonly Omit<Unembedded, 'content'>[],
  problem: string,
): Promise<number> {
  return readValue<number>(db, 'select animus.skip_embeddings($1, $2, $3::uuid[], $4::text[], $5)', [
    toText(model),
    dimensions,
    ...columns(rows),
    toText(problem),
  ]);
}

/** Links each memory with those of its place that are nearly alike; returns how many links are new. In a statement of its own, after the embeddings are stored. */
export async function linkSimilarMemories(
  db: Queryable,
  ids: readonly string[],
  similarity = LINK_SIMILARITY,
): Promise<number> {
  return readValue<number>(db, 'select animus.link_similar_memories($1::uuid[], $2)', [ids, similarity]);
}

function columns(rows: readonly Omit<Unembedded, 'content'>[]): readonly (readonly string[])[] {
  return [rows.map(({ id }) => id), rows.map(({ digest }) => digest)];
}
