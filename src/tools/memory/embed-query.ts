/** The embedding of what a tool searches for. */
import type { QueryEmbedding } from '../../store/memory/search-memories.ts';
import type { ToolContext } from '../tool.ts';

/** A vector with the model that made it, `provider/model`; or why there is none, one clause for the model and for people. */
export type QueryVector = QueryEmbedding | { readonly missing: string };

/**
 * Makes the embedding of a text, and charges the work of the call with it. Call it outside of any transaction, and only once the answer of the
 * call is recorded. Rejects only with what ends the focus.
 */
export type EmbedQuery = (text: string, context: ToolContext) => Promise<QueryVector>;

/** Without a model of embeddings. */
export const noQueryEmbedding: EmbedQuery = async () => ({
  missing: 'no embedding model is configured ([embeddings] in animus.toml)',
});
