import { ollamaFault } from '../ollama/errors.ts';
import { asArray, asObject } from '../wire/loose-json.ts';
import { bearer } from '../wire/wire.ts';
import type { EmbeddingsApi } from './embeddings-api.ts';

/** Ollama's POST /api/embed. The server cuts texts that are too long for the model. */
export const ollamaEmbeddings: EmbeddingsApi = {
  path: () => '/api/embed',
  headers: bearer,
  body: ({ model, texts, dimensions }) => ({
    model,
    input: texts,
    truncate: true,
    ...(dimensions !== null && { dimensions }),
  }),
  read(body) {
    const response = asObject(body);
    if (!Array.isArray(response?.['embeddings'])) return null;
    return {
      vectors: asArray(response['embeddings']).map((vector) => ({ index: undefined, vector })),
      tokens: response['prompt_eval_count'],
    };
  },
  classify: ollamaFault,
};
