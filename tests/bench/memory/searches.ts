/** Searches of many memories: how long they take, and how many of the ten nearest the index finds. */
import { type MemoryFilters, searchMemories } from '../../../src/store/memory/search-memories.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { MODEL } from './load.ts';
import { sessionsCpuMs } from './server-cpu.ts';
import { DIMENSIONS, type Source } from './synthetic.ts';

const K = 10;

/** Milliseconds. */
export interface SearchFigures {
  readonly p50: number;
  readonly p95: number;
  /** Of a processor, per search, in the server. */
  readonly cpu: number;
}

export type Ways = 'words' | 'vectors' | 'both';

/** Searches `count` times, one after another, after a warm-up. */
export async function timed(
  db: Database,
  source: Source,
  count: number,
  ways: Ways,
  filters: MemoryFilters = {},
): Promise<SearchFigures> {
  const times: number[] = [];
  const name = db.where.split('/').at(-1)!;
  let before = 0;
  for (let n = -5; n < count; n++) {
    const { vector, text } = source.query();
    if (n === 0) before = sessionsCpuMs(name);
    const begun = performance.now();
    await searchMemories(db, {
      viewer: null,
      text: ways === 'vectors' ? '' : text,
      embedding: ways === 'words' ? null : { model: MODEL.model, vector: [...vector] },
      limit: K,
      filters,
    });
    if (n >= 0) times.push(performance.now() - begun);
  }
  times.sort((a, b) => a - b);
  const cpu = (sessionsCpuMs(name) - before) / count;
  return { cpu, p50: times[Math.floor(count * 0.5)]!, p95: times[Math.floor(count * 0.95)]! };
}

/** The share of the exact ten nearest that a search by vectors finds; exact: without index, of the memories that fit. */
export async function recall(
  db: Database,
  source: Source,
  count: number,
  filters: MemoryFilters = {},
): Promise<{ readonly recall: number; readonly worst: number; readonly fit: number }> {
  const shares: number[] = [];
  let fit = 0;
  for (let n = 0; n < count; n++) {
    const { vector } = source.query();
    const exact = await exactNearest(db, vector, filters);
    const { memories } = await searchMemories(db, {
      viewer: null,
      text: '',
      embedding: { model: MODEL.model, vector: [...vector] },
      limit: K,
      filters,
    });
    const found = new Set(memories.map(({ id }) => id));
    shares.push(exact.ids.filter((id) => found.has(id)).length / Math.max(exact.ids.length, 1));
    ({ fit } = exact);
  }
  return { recall: shares.reduce((sum, share) => sum + share, 0) / count, worst: Math.min(...shares), fit };
}

async function exactNearest(
  db: Database,
  vector: Float32Array,
  { layers, project, kinds, tags }: MemoryFilters,
): Promise<{ readonly ids: readonly string[]; readonly fit: number }> {
  return db.transaction(async (tx) => {
    await tx.query('set local enable_indexscan = off');
    const rows = await tx.query<{ id: string; fit: number }>(
      `select m.id, (count(*) over ())::int as fit from animus.memories m join animus.memory_embeddings e on e.memory_id = m.id
        where ($2::text is null or m.project = $2) and ($3::text[] is null or m.kind = any ($3)) and ($4::text[] is null or m.tags @> $4)
          and ($5::text[] is null or m.layer = any ($5))
        order by e.embedding <=> $1::real[]::vector limit ${K}`,
      [[...vector], project ?? null, kinds ?? null, tags ?? null, layers ?? null],
    );
    return { ids: rows.map(({ id }) => id), fit: rows[0]?.fit ?? 0 };
  });
}

/** The same of the index alone, asked for ten, with this ef_search and no filter. */
export async function indexRecall(db: Database, source: Source, count: number, ef: number): Promise<number> {
  let found = 0;
  for (let n = 0; n < count; n++) {
    const { vector } = source.query();
    const { ids } = await exactNearest(db, vector, {});
    const rows = await db.transaction(async (tx) => {
      await tx.query(`select set_config('hnsw.ef_search', $1, true)`, [`${ef}`]);
      return tx.query<{ id: string }>(
        `select memory_id as id from animus.memory_embeddings where model_id = 1
          order by (embedding::vector(${DIMENSIONS})) <=> $1::real[]::vector(${DIMENSIONS}) limit ${K}`,
        [[...vector]],
      );
    });
    found += rows.filter(({ id }) => ids.includes(id)).length;
  }
  return found / (count * K);
}
