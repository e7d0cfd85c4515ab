/** One request of the backfill: embeds a batch of memories, stores the vectors, and records what it has cost. */
import { isAnimusError, messageOf } from '../../core/errors/errors.ts';
import { measuredEmbedder } from '../../daemon/embeddings/measured-embedder.ts';
import { paidEmbedding } from '../../daemon/embeddings/paid-embedding.ts';
import type { PartOfDaemon } from '../../daemon/parts/daemon-part.ts';
import type { Vector } from '../../llm/embeddings/embed-result.ts';
import type { Embedder } from '../../llm/embeddings/embedder.ts';
import type { MaySend } from '../../llm/transport/fetch-json.ts';
import { type EmbeddingTurn, endEmbedding, type HeldCost } from '../../store/work/embedding-turns.ts';
import { count } from '../../telemetry/metrics.ts';
import { linkSimilarMemories, skipEmbeddings, storeEmbeddings, type Unembedded } from './embeddings.ts';

/** A memory with its vector. */
export type EmbeddedMemory = Unembedded & { readonly vector: Vector };

/** What came of a batch. */
export interface EmbeddedBatch {
  /** How many of the vectors were stored. */
  readonly stored: number;
  /** All vectors that were bought. */
  readonly rows: readonly EmbeddedMemory[];
  /** For people; null: none. */
  readonly problem: string | null;
  /** Before the next batch; null: at once. */
  readonly waitMs: number | null;
}

/** How long a paid answer is kept while the database cannot be reached. */
const KEEP_MS = 120_000;
/** Asks the model for nothing but whether it works. */
const PROBE = ['ok'];

/** How long, and whether, requests may be sent. */
export interface Sending {
  readonly signal: AbortSignal;
  readonly maySend: MaySend;
}

export interface BatchEmbedding {
  /** Rejects when the database fails, and then the texts come again. */
  embed(batch: readonly Unembedded[], held: HeldCost, sending: Sending): Promise<EmbeddedBatch>;
  /** Stores vectors that were paid for before; returns how many. */
  storeAgain(rows: readonly EmbeddedMemory[]): Promise<number>;
}

/** Embeds batches with one model. */
export function createBatchEmbedding(
  { db, clock, log, models }: Pick<PartOfDaemon, 'db' | 'clock' | 'log' | 'models'>,
  asked: Embedder,
  turn: EmbeddingTurn,
): BatchEmbedding {
  const embedder = measuredEmbedder(asked);
  const model = { model: embedder.name, dimensions: embedder.dimensions };

  async function embed(batch: readonly Unembedded[], held: HeldCost, sending: Sending): Promise<EmbeddedBatch> {
    const { signal, maySend } = sending;
    const kept = <T>(write: () => Promise<T>) => retried(write, signal);
    const result = await embedder.embed(
      batch.map(({ content }) => content),
      signal,
      maySend,
    );
    const refused = result.ok || !result.refused ? null : batch[result.vectors.length];
    // Where no text was accepted, the model may refuse every text.
    const probed = refused && result.vectors.length === 0 ? await embedder.embed(PROBE, signal, maySend) : null;
    const failure = result.ok ? null : refused && (probed === null || probed.ok) ? null : result.failure;
    const paid = paidEmbedding(embedder, [result, ...(probed ? [probed] : [])]);
    const rows = result.vectors.map((vector, at) => ({ ...batch[at]!, vector }));
    if (failure === null) {
      const refusal = refused && !result.ok ? { row: refused, problem: result.failure.message } : null;
      return { stored: await store(rows, refusal, held, paid, kept), rows, problem: null, waitMs: null };
    }
    // Not the provider's fault: the daemon is stopping, or another one has taken over.
    if (failure.kind === 'aborted')
      return { stored: await store(rows, null, held, paid, kept), rows, problem: null, waitMs: 0 };
    count('work.memory.embeddings', batch.length - rows.length, { result: 'failed' });
    const problem = `memories get no embeddings: ${models.explain(failure)}`;
    const failed = { problem, delayMs: failure.retryAfterMs ?? 0 };
    const stored = await kept(() => storeRows(rows, null, (tx) => endEmbedding(tx, turn, held, paid, failed)));
    return { stored: stored.count, rows, problem, waitMs: (stored.seconds ?? 0) * 1000 };
  }

  /** Stores the vectors with the cost; if the database refuses them, the cost alone. Then merges near duplicates. */
  async function store(
    rows: readonly EmbeddedMemory[],
    refusal: Refusal | null,
    held: HeldCost,
    paid: Paid,
    kept: <T>(write: () => Promise<T>) => Promise<T>,
  ): Promise<number> {
    try {
      const { count: stored } = await kept(() => storeRows(rows, refusal, (tx) => endEmbedding(tx, turn, held, paid)));
      await link(rows);
      return stored;
    } catch (error) {
      const failed = { problem: messageOf(error), delayMs: 0 };
      await kept(() => endEmbedding(db, turn, held, paid, failed));
      throw error;
    }
  }

  async function storeRows<Ended>(
    rows: readonly EmbeddedMemory[],
    refusal: Refusal | null,
    end: (tx: Parameters<typeof endEmbedding>[0]) => Promise<Ended>,
  ): Promise<{ readonly count: number; readonly seconds: Ended }> {
    return db.transaction(async (tx) => {
      const stored = rows.length === 0 ? 0 : await storeEmbeddings(tx, model, rows);
      if (refusal) await skipEmbeddings(tx, model, [refusal.row], refusal.problem);
      const seconds = await end(tx);
      count('work.memory.embeddings', stored, { result: 'stored' });
      if (refusal) {
        count('work.memory.embeddings', 1, { result: 'refused' });
        log.warn({ memory: refusal.row.id, problem: refusal.problem }, 'the model makes no embedding of a memory');
      }
      return { count: stored, seconds };
    });
  }

  /** What is not linked now is linked when one of the two changes. */
  async function link(rows: readonly EmbeddedMemory[]): Promise<void> {
    if (rows.length === 0) return;
    try {
      const linked = await linkSimilarMemories(
        db,
        rows.map(({ id }) => id),
      );
      if (linked > 0) log.info({ links: linked }, 'memories with nearly the same words were linked');
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'memories with nearly the same words could not be linked');
    }
  }

  /** Retries while the database cannot be reached, until the daemon stops: a paid answer exists only in memory. */
  async function retried<T>(write: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const endMs = clock.monotonicMs() + KEEP_MS;
    for (;;) {
      try {
        return await write();
      } catch (error) {
        const mayRetry = isAnimusError(error, 'db.unreachable') && !signal.aborted && clock.monotonicMs() < endMs;
        if (!mayRetry) throw error;
      }
      await clock.sleep(500, signal);
    }
  }

  return {
    embed,
    async storeAgain(rows) {
      const stored = await storeEmbeddings(db, model, rows);
      if (stored > 0) await link(rows);
      return stored;
    },
  };
}

type Paid = Parameters<typeof endEmbedding>[3];
interface Refusal {
  readonly row: Unembedded;
  readonly problem: string;
}
