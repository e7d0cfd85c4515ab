/** The embedding of what a command searches for, made in the process of the command. */
import { isAnimusError } from '../../core/errors/errors.ts';
import type { SearchVector } from '../../daemon/embeddings/search-embedding.ts';
import { vectorSearchProblem } from '../../store/memory/search-memories.ts';
import type { Database } from '../../store/sql/database.ts';
import { chargeEmbedding } from '../../store/work/embedding-turns.ts';
import type { Invocation } from '../../terminal/command/command.ts';

/**
 * The vector, or why there is none. Asks the provider of `[embeddings]` with the keys of this environment, and not for long: an embedded database
 * is open to nobody else meanwhile, and a starting daemon waits 5 s for it.
 */
export async function commandEmbedding(invocation: Invocation, db: Database, text: string): Promise<SearchVector> {
  const config = await invocation.config().catch((error: unknown) => {
    // `reach` has printed what is wrong with it.
    if (isAnimusError(error)) return null;
    throw error;
  });
  if (config === null) return { missing: 'the configuration is broken' };
  const { embedSearch, NO_MODEL } = await import('../../daemon/embeddings/search-embedding.ts');
  if (config.embeddings === null) return { missing: NO_MODEL };
  const { provider, model, dimensions } = config.embeddings;
  const problem = await vectorSearchProblem(db, `${provider}/${model}`, dimensions);
  if (problem !== null) return { missing: problem };
  const { openEmbeddings } = await import('../../daemon/embeddings/open-embeddings.ts');
  await using opened = await openEmbeddings(config, config.embeddings);
  return await embedSearch(opened, text, invocation.context.signals.drain, (paid) => charge(db, paid));
}

/** Those who are not operators pay with a key of their own. */
async function charge(db: Database, paid: Parameters<typeof chargeEmbedding>[1]): Promise<void> {
  try {
    await chargeEmbedding(db, paid);
  } catch (error) {
    if (!isAnimusError(error, 'db.forbidden')) throw error;
  }
}
