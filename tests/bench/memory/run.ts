/**
 * Memories: `npm run bench -- tests/bench/memory/run.ts [--rows 100000] [--queries 200]`, about five minutes at 100,000. It needs a server with
 * pgvector and a superuser's address in BENCH_DATABASE_URL, such as docker/postgres:
 * `docker build -t animus-postgres -f docker/postgres/Dockerfile . && docker run --rm -d --shm-size 1g -p 127.0.0.1:5433:5432 --entrypoint docker-entrypoint.sh
 * -e POSTGRES_USER=postgres -e POSTGRES_PASSWORD=p -e ANIMUS_OWNER_PASSWORD=p -e ANIMUS_PASSWORD=p animus-postgres postgres -c listen_addresses=*`, then postgres://postgres:p@127.0.0.1:5433/postgres.
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { linkSimilarMemories, storeEmbeddings, unembedded } from '../../../src/features/memory/embeddings.ts';
import { storeMemory } from '../../../src/store/memory/memories.ts';
import type { MemoryFilters } from '../../../src/store/memory/search-memories.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { openBenchServer, withPool } from '../queue/server.ts';
import { figure, report } from '../support/report.ts';
import { fusion } from './fusion.ts';
import { load, MODEL } from './load.ts';
import { indexRecall, recall, timed, type Ways } from './searches.ts';
import { DIMENSIONS, type Source, syntheticSource } from './synthetic.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    queries: { type: 'string', default: '200' },
    inserts: { type: 'string', default: '1000' },
  },
});
const rows = Number(values.rows);
const queries = Number(values.queries);
const inserts = Number(values.inserts);

const FILTERS: readonly (readonly [name: string, filters: MemoryFilters])[] = [
  ['no filter', {}],
  ['a kind (19 %)', { kinds: ['kind-1'] }],
  ['a kind (6 %)', { kinds: ['rare'] }],
  ['a project (4 %)', { project: 'project-3' }],
  ['a tag (2 %)', { tags: ['tag-7'] }],
  ['a kind and a project (0.8 %)', { kinds: ['kind-1'], project: 'project-3' }],
];

if (process.env['BENCH_DATABASE_URL'] === undefined)
  throw new Error('set BENCH_DATABASE_URL to a server with pgvector; the top of this file says how');
const server = await openBenchServer();
try {
  await withPool(await server.migrated(), measure);
} finally {
  await server.stop();
}

async function measure(db: Database): Promise<void> {
  const [vector] = await db.query<{ version: string }>(
    `select extversion as version from pg_extension where extname = 'vector'`,
  );
  print(`${server.version}; pgvector ${vector?.version}; ${rows} memories, ${DIMENSIONS} dimensions, 1,000 clusters`);
  const source = syntheticSource(2);
  const loaded = await load(db, source, rows);
  print(`loaded in ${figure(loaded.rows)} s; HNSW index (m 16, ef_construction 64) in ${figure(loaded.index)} s`);
  for (const ef of [10, 40, 100])
    print(
      `recall@10 of the index alone, ef_search ${ef}: ${(await indexRecall(db, source, Math.ceil(queries / 2), ef)).toFixed(3)}`,
    );
  for (const [name, filters] of FILTERS) {
    const found = await recall(db, source, Math.ceil(queries / 2), filters);
    print(
      `recall@10, ${name}: ${found.recall.toFixed(3)}, worst of ${Math.ceil(queries / 2)} queries ${found.worst.toFixed(1)}; ${found.fit} memories fit`,
    );
    report({
      what: `memory: recall@10, ${name}`,
      who: 'animus',
      figures: { recall: found.recall.toFixed(3), worst: found.worst.toFixed(1) },
    });
  }
  for (const [name, filters] of FILTERS)
    for (const ways of ['words', 'vectors', 'both'] as readonly Ways[])
      say(`search, ${name}, ${ways}`, { ...(await timed(db, source, queries, ways, filters)) }, ' ms');
  await insertRates(db, source);
  say('a constructed set with complementary signals, recall@4', { ...(await fusion(db)) });
}

/** Per second: by store_memory, one statement each, and embeddings in batches of 96 with the index in place. */
async function insertRates(db: Database, source: Source): Promise<void> {
  await db.query(`select animus.set_memory_limit('global', 1000000)`);
  const made = Array.from({ length: inserts }, () => source.memory());
  const store = async (part: readonly { content: string }[]) => {
    for (const { content } of part) await storeMemory(db, { content: `${content} ${randomUUID()}` }, null);
  };
  const alone = await rate(inserts / 2, () => store(made.slice(0, inserts / 2)));
  const quarter = inserts / 8;
  const four = await rate(inserts / 2, () =>
    Promise.all([4, 5, 6, 7].map((at) => store(made.slice(at * quarter, (at + 1) * quarter)))),
  );
  say('memories stored per second', { 'one writer': alone, 'four writers of one place': four });
  const waiting = await unembedded(db, MODEL, inserts);
  const vectors = waiting.map((row) => ({ ...row, vector: [...source.memory().vector] }));
  const batches = Array.from({ length: Math.ceil(vectors.length / 96) }, (_, n) => vectors.slice(n * 96, (n + 1) * 96));
  const embedded = await rate(vectors.length, async () => {
    for (const batch of batches) await storeEmbeddings(db, MODEL, batch);
  });
  const merged = await rate(vectors.length, async () => {
    for (const batch of batches)
      await linkSimilarMemories(
        db,
        batch.map(({ id }) => id),
      );
  });
  say('embeddings per second', { stored: embedded, 'looked for duplicates': merged });
}

async function rate(count: number, work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return count / ((performance.now() - begun) / 1000);
}

function say(what: string, figures: Readonly<Record<string, number>>, unit = ''): void {
  const shown = Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, `${figure(value)}${unit}`]));
  report({ what, who: 'animus', figures: shown });
  print(
    `${what}: ${Object.entries(shown)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')}`,
  );
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
