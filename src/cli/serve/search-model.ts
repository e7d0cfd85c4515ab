/** The model with which the API searches by meaning, in a process without a daemon. */
import type { Config } from '../../core/config/config.ts';
import type { SearchEmbeddings } from '../../daemon/embeddings/search-embedding.ts';

/** Opens it until `closing` ends; null without `[embeddings]`. Errors: `config.unreadable` for a ca_file. */
export async function openSearchModel(config: Config, closing: AsyncDisposableStack): Promise<SearchEmbeddings | null> {
  if (config.embeddings === null) return null;
  const [{ openEmbeddings }, { searchEmbeddings }] = await Promise.all([
    import('../../daemon/embeddings/open-embeddings.ts'),
    import('../../daemon/embeddings/search-embedding.ts'),
  ]);
  return searchEmbeddings(closing.use(await openEmbeddings(config, config.embeddings)));
}
