/** Makes embeddings for the tools of foci, under the limits of their work. */
import { randomUUID } from 'node:crypto';
import { isAnimusError } from '../../core/errors/errors.ts';
import { surelyHolds } from '../../core/lifecycle/lease.ts';
import { withinLease } from '../../engage/calls/within-lease.ts';
import { type LlmFailure, mayHaveCost } from '../../llm/client.ts';
import type { Embedder, EmbeddingUsage } from '../../llm/embeddings/embedder.ts';
import { vectorSearchProblem } from '../../store/memory/search-memories.ts';
import type { Database } from '../../store/sql/database.ts';
import { endSideCall, giveBackTurn, holdEmbedding } from '../../store/transcript/budgeted-turns.ts';
import type { FocusKey } from '../../store/transcript/focus-row.ts';
import { recordSideCall } from '../../store/transcript/turns.ts';
import type { EmbedQuery, QueryVector } from '../../tools/memory/embed-query.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { measuredEmbedder } from './measured-embedder.ts';

export interface QueryEmbedderMeans {
  readonly db: Database;
  readonly embedder: Embedder;
  /** One line for people: which provider failed, how, and the remedy. */
  readonly explain: (failure: LlmFailure) => string;
}

/** Of the texts that were asked for last, so that the same search of many foci is paid for once. */
const MAX_KNOWN = 200;
/** A search by words alone is better than one that is late. */
const PATIENCE_MS = 20_000;

/**
 * Holds what the embedding may cost, asks for it, and records what it has cost. Without the vector a search is by words alone, so a refusal by
 * a limit and a failure of the provider are reasons, not failures of the focus.
 */
export function createQueryEmbedder({ db, embedder, explain }: QueryEmbedderMeans): EmbedQuery {
  const known = new Map<string, QueryVector>();
  const oneAtATime = queueOfEachFocus();

  async function embed(text: string, context: ToolContext): Promise<QueryVector> {
    const { signal, faculty } = context;
    const focus: FocusKey = context;
    const problem = await vectorSearchProblem(db, embedder.name, embedder.dimensions);
    if (problem !== null) return { missing: problem };
    const held = await hold(text, focus, signal);
    if (held === 'locked') return { missing: 'the limits of this work are locked at the moment' };
    if (held === 'refused') return { missing: 'the limits of this work do not allow the cost of an embedding' };
    const patience = AbortSignal.timeout(PATIENCE_MS);
    const result = await measuredEmbedder(embedder, faculty).embed([text], AbortSignal.any([signal, patience]), () =>
      surelyHolds(context.lease),
    );
    signal.throwIfAborted();
    if (result.ok) {
      await charge(focus, result.usage, held === 'held', signal);
      return { model: embedder.name, vector: result.vectors[0]! };
    }
    if (mayHaveCost(result.failure)) await charge(focus, result.usage, held === 'held', signal);
    else if (held === 'held') await withinLease(() => giveBackTurn(db, focus, 0), signal);
    const late = `${embedder.provider} has made no embedding within ${PATIENCE_MS / 1000} s`;
    return { missing: patience.aborted ? late : explain(result.failure) };
  }

  /** A limit that somebody has locked is no reason to end the focus. */
  async function hold(text: string, focus: FocusKey, signal: AbortSignal) {
    const reservation = { ...embedder.costAtMost([text]), attempt: randomUUID() };
    try {
      return await withinLease(() => holdEmbedding(db, focus, reservation), signal);
    } catch (error) {
      if (isAnimusError(error, 'work.locked')) return 'locked';
      throw error;
    }
  }

  /** An estimate counts with all that was held for it. */
  async function charge(focus: FocusKey, usage: EmbeddingUsage, held: boolean, signal: AbortSignal): Promise<void> {
    const { provider, model } = embedder;
    const costUsd = embedder.costUsd(usage);
    const tokens = { input: usage.inputTokens, output: 0 };
    const record = () =>
      db.transaction(async (tx) => {
        await recordSideCall(tx, focus, { provider, model, usage: tokens }, costUsd, 'embedding');
        if (held) await endSideCall(tx, focus, costUsd, usage.counted ? tokens : null);
      });
    await withinLease(record, signal);
  }

  return async (text, context) => {
    const before = known.get(text);
    if (before) return before;
    const made = await oneAtATime(context.focusId, () => embed(text, context));
    if ('vector' in made) {
      if (known.size >= MAX_KNOWN) known.delete(known.keys().next().value!);
      known.set(text, made);
    }
    return made;
  };
}

/** Runs what belongs to one focus one after the other: it holds for one request at a time. */
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
