/** The embedding of what a command searches for, made in the process of the command. */
import { isAnimusError } from '../../core/errors/errors.ts';
import { type QueryEmbedding, vectorSearchProblem } from '../../store/memory/search-memories.ts';
import type { Database } from '../../store/sql/database.ts';
import { chargeEmbedding } from '../../store/work/embedding-turns.ts';
import type { Invocation } from '../command/command.ts';

/** An embedded database is open to nobody else meanwhile, and a starting daemon waits 5 s for it. */
const PATIENCE_MS = 4000;

/** The vector, or why there is none, for people. Asks the provider of `[embeddings]` with the keys of this environment. */
export async function commandEmbedding(
  invocation: Invocation,
  db: Database,
  text: string,
): Promise<QueryEmbedding | { readonly missing: string }> {
  const config = await invocation.config().catch((error: unknown) => {
    // `reach` has printed what is wrong with it.
    if (isAnimusError(error)) return null;
    throw error;
  });
  if (config === null) return { missing: 'the configuration is broken' };
  if (config.embeddings === null) return { missing: 'no embedding model is configured ([embeddings] in animus.toml)' };
  const { provider, model, dimensions } = config.embeddings;
  const problem = await vectorSearchProblem(db, `${provider}/${model}`, dimensions);
  if (problem !== null) return { missing: problem };
  const { openEmbeddings } = await import('../../daemon/models/open-embeddings.ts');
  await using opened = await openEmbeddings(config, config.embeddings);
  const { embedder, explain } = opened;
  const signal = AbortSignal.any([invocation.context.signals.drain, AbortSignal.timeout(PATIENCE_MS)]);
  const result = await embedder.embed([text], signal);
  const paid = { provider, model, tokens: result.usage.inputTokens, costUsd: embedder.costUsd(result.usage) };
  if (paid.tokens > 0) await charge(db, paid);
  if (result.ok) return { model: embedder.name, vector: result.vectors[0]! };
  if (!signal.aborted) return { missing: explain(result.failure) };
  return { missing: `provider ${provider} has made no embedding within ${PATIENCE_MS / 1000} s` };
}

/** Whoever is no operator pays with a key of their own. */
async function charge(db: Database, paid: Parameters<typeof chargeEmbedding>[1]): Promise<void> {
  try {
    await chargeEmbedding(db, paid);
  } catch (error) {
    if (!isAnimusError(error, 'db.forbidden')) throw error;
  }
}
