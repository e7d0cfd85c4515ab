/** Makes the embeddings that memories lack: one daemon at a time, in batches, under the limits for all work (docs/memory.md). */
import { messageOf } from '../../core/errors/errors.ts';
import { surelyHolds } from '../../core/lifecycle/lease.ts';
import { createLoop } from '../../core/lifecycle/loop.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import { embeddingLease, HOLD_SECONDS, holdOn } from '../../daemon/embeddings/embedding-lease.ts';
import type { PartOfDaemon } from '../../daemon/parts/daemon-part.ts';
import type { Embedder } from '../../llm/embeddings/embedder.ts';
import { vectorSearchProblem } from '../../store/memory/search-memories.ts';
import {
  beginEmbedding,
  type EmbeddingPermit,
  type EmbeddingTurn,
  endEmbedding,
  type HeldCost,
  leaveEmbedding,
} from '../../store/work/embedding-turns.ts';
import { type BatchEmbedding, createBatchEmbedding, type EmbeddedMemory } from './embed-batch.ts';
import { prepareEmbeddings, unembedded } from './embeddings.ts';

/** How often to look for memories without an embedding, on average. */
const LOOK_MS = 5000;
/** pgvector may be installed later, and by somebody else. */
const NO_VECTORS_MS = 300_000;
/** An operator may raise the limit, and a pause may end. */
const REFUSED_MS = 30_000;
/** Rows in memory at a time. */
const MAX_ROWS = 256;

/** Every daemon of a database may run one. Without an embedder, it does nothing. */
export function createMemoryService(daemon: Omit<PartOfDaemon, 'settings' | 'batches' | 'faculties'>): Service {
  const { db, clock, log, daemonId } = daemon;
  const { embedder } = daemon.models;
  const loop = createLoop(async () => embedder !== null && (await run(embedder)));
  const { stopping } = loop;
  let known: string | null = null;
  let embedded = 0;
  /** By id: vectors of memories that somebody has locked. They are paid for. */
  let unstored: ReadonlyMap<string, EmbeddedMemory> = new Map();

  async function run(of: Embedder): Promise<void> {
    const turn = { daemonId, model: of.name };
    const batches = createBatchEmbedding(daemon, of, turn);
    let ready = false;
    const prepare = async (): Promise<number | null> => {
      const prepared = await prepareEmbeddings(db, { model: of.name, dimensions: of.dimensions, place: of.place });
      ready = prepared.ready;
      if (ready) return null;
      await report(`memories are searched by words alone: ${prepared.reason}`);
      return NO_VECTORS_MS;
    };
    while (!stopping.aborted) {
      const waitMs = await (ready ? embedSome(of, turn, batches) : prepare()).catch(async (error: unknown) => {
        await report(`memories get no embeddings: ${messageOf(error)}`);
        return LOOK_MS;
      });
      if (waitMs !== null) await clock.sleep(waitMs * (0.75 + Math.random() / 2), stopping);
    }
    await leaveEmbedding(db, turn).catch((error: unknown) => {
      log.debug({ error: messageOf(error) }, 'could not hand over the making of embeddings to another daemon');
    });
  }

  /** One request for memories that lack an embedding. Returns how long to wait; null: there may be more. */
  async function embedSome(of: Embedder, turn: EmbeddingTurn, batches: BatchEmbedding): Promise<number | null> {
    const model = { model: of.name, dimensions: of.dimensions };
    const found = await unembedded(db, model, MAX_ROWS);
    const paid = found.flatMap(({ id, digest }) => {
      const row = unstored.get(id);
      return row?.digest === digest ? [row] : [];
    });
    unstored = new Map(paid.map((row) => [row.id, row]));
    if (paid.length > 0) embedded += await batches.storeAgain(paid);
    const rows = found.filter(({ id }) => !unstored.has(id));
    const texts = rows.map(({ content }) => content);
    const batch = rows.slice(0, of.fits(texts));
    if (batch.length === 0) {
      await caughtUp(await vectorSearchProblem(db, of.name, of.dimensions));
      return LOOK_MS;
    }
    const lease = embeddingLease(db, clock, turn);
    const begun = await beginEmbedding(db, turn, HOLD_SECONDS, of.costAtMost(texts.slice(0, batch.length)));
    if (begun.permit !== 'go') return refused(begun);
    // Frozen meanwhile: another daemon may have taken over.
    if (!lease.holds()) return giveBack(turn, begun.held, of);
    const done = await heldOn(
      turn,
      batches.embed(batch, begun.held, {
        signal: stopping,
        maySend: () => surelyHolds(lease),
      }),
    );
    embedded += done.stored;
    if (done.stored < done.rows.length)
      unstored = new Map([...unstored, ...done.rows.map((row) => [row.id, row] as const)]);
    if (done.problem !== null) await report(done.problem);
    else if (done.stored > 0) await report(null);
    return done.waitMs;
  }

  /** Holds on while a request is under way. What fails here fails again when it ends, where it counts. */
  async function heldOn<T>(turn: EmbeddingTurn, request: Promise<T>): Promise<T> {
    const ended = new AbortController();
    const extending = (async () => {
      for (;;) {
        await clock.sleep((HOLD_SECONDS / 3) * 1000, ended.signal);
        if (ended.signal.aborted) return;
        await holdOn(db, turn).catch((error: unknown) =>
          log.debug({ error: messageOf(error) }, 'could not extend the time in which this daemon makes embeddings'),
        );
      }
    })();
    try {
      return await request;
    } finally {
      ended.abort();
      await extending;
    }
  }

  async function giveBack(turn: EmbeddingTurn, held: HeldCost, { provider, model }: Embedder): Promise<number> {
    await endEmbedding(db, turn, held, { provider, model, tokens: 0, costUsd: 0 });
    return 0;
  }

  async function refused(begun: Exclude<EmbeddingPermit, { permit: 'go' }>): Promise<number> {
    switch (begun.permit) {
      case 'busy':
      case 'resting':
        return Math.min(begun.seconds * 1000, REFUSED_MS);
      case 'budget':
        await report(`memories get no embeddings: ${begun.message}`);
        return REFUSED_MS;
      case 'paused':
      case 'budget_busy':
        return LOOK_MS;
      default:
        return begun satisfies never;
    }
  }

  /** `other`: another daemon was started later with another model, which is the current one. */
  async function caughtUp(other: string | null): Promise<void> {
    if (embedded > 0) log.info({ memories: embedded, model: embedder?.name }, 'memories have got their embeddings');
    embedded = 0;
    await report(other && `${other}; give all daemons the same [embeddings], and restart those that have another`);
  }

  async function report(problem: string | null): Promise<void> {
    if (problem === known || stopping.aborted) return;
    known = problem;
    if (problem !== null) log.warn({ problem }, 'memories get no embeddings for the time being');
    await daemon.report(problem === null ? [] : [problem]);
  }

  return loop;
}
