/** Backfills of embeddings on one database, with a mock model. */
import { createHash, randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createMemoryService } from '../../../src/features/memory/service.ts';
import type { EmbedderSettings } from '../../../src/llm/embeddings/open-embedder.ts';
import { createLlm } from '../../../src/llm/llm.ts';
import { storeMemory } from '../../../src/store/memory/memories.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { eventually } from '../../support/eventually.ts';
import type { MockEmbeddings } from '../../support/model-server/embeddings.ts';
import { startOpenAiServer } from '../../support/model-server/openai.ts';
import type { ModelServer } from '../../support/model-server/server.ts';

const DIMENSIONS = 8;

/** Vectors of different texts point into different directions. */
export function spread(text: string): number[] {
  return [...createHash('sha256').update(text).digest().subarray(0, DIMENSIONS)].map((byte) => byte - 127.5);
}

/** A mock model at which a token costs a thousandth of a dollar. */
export async function serveModel(
  answers: Parameters<typeof startOpenAiServer>[0] = [{}],
  vectors: MockEmbeddings = {},
): Promise<ModelServer> {
  const server = await startOpenAiServer(answers, { embed: spread, ...vectors });
  onTestFinished(server.close);
  return server;
}

/** All texts that the model was asked for, those of refused requests included. */
export function asked(server: ModelServer): readonly string[] {
  return server.requests.flatMap(({ json }) => (json?.['input'] as string[] | undefined) ?? []);
}

/** A clock whose sleeps are short. */
export const QUICK: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 10), signal) };

export interface TestBackfill {
  readonly daemonId: string;
  /** Every problem that was reported; null: it was over. */
  readonly problems: (string | null)[];
  stop(): Promise<void>;
}

/** Starts the backfill of another daemon. */
export async function startBackfill(
  db: Database,
  server: ModelServer,
  settings: Partial<EmbedderSettings> = {},
  clock = QUICK,
  log = silentLog,
): Promise<TestBackfill> {
  const prices = { input: 1000, output: 0, cacheRead: 0, cacheWrite: 0 };
  const provider = {
    kind: 'openai',
    baseUrl: `${server.url}/v1`,
    apiKey: 'a-long-key',
    retry: { maxAttempts: 1 },
  } as const;
  const llm = createLlm({ defaultProvider: 'p', providers: { p: provider }, models: { 'p/*': { prices } } });
  const problems: (string | null)[] = [];
  const daemonId = randomUUID();
  const backfill = createMemoryService({
    db,
    clock,
    log,
    daemonId,
    models: {
      embedder: llm.embedder({ provider: 'p', model: 'e', dimensions: DIMENSIONS, ...settings }),
      explain: ({ message }) => message,
    },
    report: async ([problem = null]) => void problems.push(problem),
  });
  await backfill.start();
  const stop = async () => {
    await backfill.stop();
    await llm.stop();
  };
  onTestFinished(stop);
  return { daemonId, problems, stop };
}

/** Stores memories of these texts. */
export async function remember(db: Database, texts: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const content of texts) ids.push((await storeMemory(db, { content }, null)).id);
  return ids;
}

/** How many memories have an embedding, are refused, or lack one. */
export async function counts(db: Database): Promise<{ stored: number; refused: number; missing: number }> {
  const [row] = await db.query<{ stored: number; refused: number; missing: number }>(
    `select count(*) filter (where embedded_as is not null and embedding_problem is null)::int as stored,
            count(*) filter (where embedding_problem is not null)::int as refused,
            count(*) filter (where embedded_as is null)::int as missing
       from animus.memories where merged_into is null`,
  );
  return row!;
}

/** So many texts, each its own. */
export function texts(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `memory of thing ${at} ${randomUUID()}`);
}

/** Resolves when so many memories have an embedding. */
export function whenStored(db: Database, count: number): Promise<true> {
  return eventually(`${count} embeddings`, async () => ((await counts(db)).stored === count ? true : null));
}

/** Removes all memories, and what was recorded about their embeddings. */
export async function forgetAll(db: Database): Promise<void> {
  await db.query('delete from animus.memories');
  await db.query('update animus.memory_counts set memories = 0');
  await db.query('delete from animus.embedders');
  await db.query('delete from animus.spend_calls');
}

/** Ends the rest after a failure, and the time of a daemon that was killed. */
export async function passTime(db: Database): Promise<void> {
  await db.query(`update animus.embedders set resume_at = null, until = least(until, animus.now())`);
}
