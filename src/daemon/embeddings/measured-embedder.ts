/** The span and the metrics of embeddings. */
import type { Embedder } from '../../llm/embeddings/embedder.ts';
import { record } from '../../telemetry/metrics.ts';
import { span } from '../../telemetry/spans.ts';

/** The same embedder, whose calls are measured. */
export function measuredEmbedder(embedder: Embedder): Embedder {
  const asked = {
    'gen_ai.operation.name': 'embeddings',
    'gen_ai.provider.name': embedder.provider,
    'gen_ai.request.model': embedder.model,
  };
  return {
    ...embedder,
    embed: (texts, signal, maySend) =>
      span('embeddings', asked, async (embedding) => {
        const startedMs = performance.now();
        const result = await embedder.embed(texts, signal, maySend);
        const { inputTokens } = result.usage;
        embedding.set({ 'gen_ai.usage.input_tokens': inputTokens });
        if (!result.ok) embedding.fail(result.failure.kind);
        record('gen_ai.client.operation.duration', (performance.now() - startedMs) / 1000, asked);
        if (inputTokens > 0) {
          record('gen_ai.client.token.usage', inputTokens, {
            ...asked,
            'gen_ai.token.type': 'input',
            estimated: String(!result.usage.counted),
          });
        }
        return result;
      }),
  };
}
