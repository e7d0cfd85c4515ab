/** Loads memories with their vectors directly into the tables, and builds the index afterwards: what takes minutes otherwise. */
import { prepareEmbeddings } from '../../../src/features/memory/embeddings.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { DIMENSIONS, type Source, type Synthetic } from './synthetic.ts';

export const MODEL = { model: 'bench', dimensions: DIMENSIONS };
const BATCH = 1000;

/** Returns the seconds that each part took. */
export async function load(
  db: Database,
  source: Source,
  rows: number,
): Promise<{ readonly rows: number; readonly index: number }> {
  const ready = await prepareEmbeddings(db, MODEL);
  if (!ready.ready) throw new Error(`no embeddings: ${ready.reason}`);
  await db.query('drop index animus.memory_embeddings_model_1');
  const begun = performance.now();
  for (let n = 0; n < rows; n += BATCH) {
    await insert(
      db,
      Array.from({ length: Math.min(BATCH, rows - n) }, () => source.memory()),
    );
  }
  await db.query('vacuum analyze animus.memories, animus.memory_embeddings');
  const loaded = performance.now();
  await db.transaction(async (tx) => {
    await tx.query(`set local maintenance_work_mem = '512MB'`);
    await prepareEmbeddings(tx, MODEL);
  });
  return { rows: (loaded - begun) / 1000, index: (performance.now() - loaded) / 1000 };
}

async function insert(db: Database, memories: readonly Synthetic[]): Promise<void> {
  const columns = [
    memories.map(({ content }) => content),
    memories.map(({ layer }) => layer),
    memories.map(({ project }) => project),
    memories.map(({ kind }) => kind),
    memories.map(({ tags }) => tags[0]),
    memories.map(({ vector }) => literal(vector)),
  ];
  await db.query(
    `with given as (
       select animus.uuid_v7() as id, * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) g (content, layer, project, kind, tag, vector)),
     stored as (
       insert into animus.memories (id, content, layer, project, kind, tags, digest, created_at, updated_at, embedded_as)
       select id, content, layer, project, kind, array[tag], animus.digest_memory(content), now(), now(), 1 from given)
     insert into animus.memory_embeddings (memory_id, model_id, embedding) select id, 1, vector::vector from given`,
    columns,
  );
}

/** As PostgreSQL reads a vector. */
export function literal(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
}
