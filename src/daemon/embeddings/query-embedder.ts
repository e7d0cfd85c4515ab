/** Makes embeddings for the tools of foci, under the limits of their work. */
import { randomUUID } from 'node:crypto';
import { isAnimusError } from '../../core/errors/errors.ts';
import { surelyHolds } from '../../core/lifecycle/lease.ts';
import { withinLease } from '../../engage/calls/within-lease.ts';
import { settleStopped } from '../../engage/turn/settle-stopped.ts';
import type { EmbeddingUsage } from '../../llm/embeddings/embed-result.ts';
import { vectorSearchProblem } from '../../store/memory/search-memories.ts';
import type { Database } from '../../store/sql/database.ts';
import { giveBackTurn, holdEmbedding, loseTurn } from '../../store/transcript/budgeted-turns.ts';
import type { FocusKey } from '../../store/transcript/focus-row.ts';
import { recordSideCall } from '../../store/transcript/turns.ts';
import type { EmbedQuery, QueryVector } from '../../tools/memory/embed-query.ts';
import type { ToolContext } from '../../tools/tool.ts';
import type { EmbeddingModel } from './embedding-model.ts';
import { knownVectors } from './known-vectors.ts';
import { measuredEmbedder } from './measured-embedder.ts';

interface PaidQueries extends EmbeddingModel {
  readonly db: Database;
}

/** A search by words alone is better than a late one. */
const PATIENCE_MS = 20_000;

/**
 * Reserves what the embedding may cost, asks for it, and records what it has cost. Without the vector a search is by words alone, so a refusal by
 * a limit and a failure of the provider are reasons, not failures of the focus.
 */
export function createQueryEmbedder({ db, embedder, explain }: PaidQueries): EmbedQuery {
  // Of many foci: the same search is paid for once.
  const known = knownVectors();
  const oneAtATime = queueOfEachFocus();

  async function embed(text: string, context: ToolContext): Promise<QueryVector> {
    const { signal } = context;
    const focus: FocusKey = context;
    const problem = await vectorSearchProblem(db, embedder.name, embedder.dimensions);
    if (problem !== null) return { missing: problem };
    const held = await hold(text, focus, signal);
    if (held === 'locked') return { missing: 'the limits of this work are locked at the moment' };
    if (held === 'refused') return { missing: 'the limits of this work do not allow the cost of an embedding' };
    const patience = AbortSignal.timeout(PATIENCE_MS);
    const result = await measuredEmbedder(embedder).embed([text], AbortSignal.any([signal, patience]), () =>
      surelyHolds(context.lease),
    );
    if (signal.aborted) await settleStopped(0, result.ok ? 1 : result.failure.lost, focus, db);
    signal.throwIfAborted();
    if (result.ok) {
      await charge(focus, result.usage, signal);
      return { model: embedder.name, vector: result.vectors[0]! };
    }
    const { lost } = result.failure;
    await withinLease(() => (lost === 0 ? giveBackTurn(db, focus, 0) : loseTurn(db, focus, 0, lost)), signal);
    const late = `${embedder.provider} returned no embedding within ${PATIENCE_MS / 1000} s`;
    return { missing: patience.aborted ? late : explain(result.failure) };
  }

  /** A locked limit does not end the focus. */
  async function hold(text: string, focus: FocusKey, signal: AbortSignal) {
    const reservation = { ...embedder.costAtMost([text]), request: randomUUID() };
    try {
      return await withinLease(() => holdEmbedding(db, focus, reservation, embedder.name), signal);
    } catch (error) {
      if (isAnimusError(error, 'work.locked')) return 'locked';
      throw error;
    }
  }

  async function charge(focus: FocusKey, usage: EmbeddingUsage, signal: AbortSignal): Promise<void> {
    const { provider, model } = embedder;
    const costUsd = embedder.costUsd(usage);
    const tokens = { input: usage.inputTokens, output: 0, ...(!usage.counted && { estimated: true as const }) };
    const record = () =>
      db.transaction(async (tx) => {
        await recordSideCall(tx, focus, { provider, model, usage: tokens }, costUsd, 'embedding');
      });
    await withinLease(record, signal);
  }

  return async (text, context) => {
    const before = known.get(text);
    if (before) return before;
    const made = await oneAtATime(context.focusId, () => embed(text, context));
    if ('vector' in made) known.add(text, made);
    return made;
  };
}

/** Runs what belongs to one focus one after the other: it reserves for one request at a time. */
function queueOfEachFocus() {
  const last = new Map<string, Promise<unknown>>();
  return <T>(focusId: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(focusId) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine.catch(() => undefined).finally(() => last.get(focusId) === settled && last.delete(focusId));
    last.set(focusId, settled);
    return mine;
  };
}
