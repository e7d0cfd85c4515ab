/** The model of `[embeddings]` alone, for commands, which make one attempt. */
import type { Config } from '../../core/config/config.ts';
import type { EmbeddingsConfig } from '../../core/config/sections/embeddings.ts';
import { createProcessHost } from '../../process/host/supervised-host.ts';
import { createConfiguredLlm, openConfiguredEmbedder } from '../models/configured-llm.ts';
import { explainFailure } from '../models/provider-remedy.ts';
import type { EmbeddingModel } from './embedding-model.ts';

/** Opens it, and nothing of other providers. Disposing closes its connections. Errors: `config.unreadable` for a ca_file. */
export async function openEmbeddings(
  config: Config,
  embeddings: EmbeddingsConfig,
): Promise<EmbeddingModel & AsyncDisposable> {
  const provider = config.providers.get(embeddings.provider)!;
  const processes = createProcessHost();
  const llm = createConfiguredLlm({ ...config, providers: new Map([[provider.name, provider]]) }, processes);
  return {
    embedder: openConfiguredEmbedder(llm, embeddings, { maxAttempts: 1 }),
    explain: (failure) => explainFailure(failure, config),
    async [Symbol.asyncDispose]() {
      await llm.stop();
      await processes.stop();
    },
  };
}
