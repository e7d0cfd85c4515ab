import { openaiFault } from '../openai/errors.ts';
import { asObject } from '../wire/loose-json.ts';
import { bearer } from '../wire/wire.ts';
import type { EmbeddingsApi } from './embeddings-api.ts';

/** POST /embeddings, as OpenAI and compatible servers have it. */
export const openaiEmbeddings: EmbeddingsApi = {
  path: () => '/embeddings',
  headers: bearer,
  body: ({ model, texts, dimensions }) => ({ model, input: texts, ...(dimensions !== null && { dimensions }) }),
  read(body) {
    const response = asObject(body);
    if (!Array.isArray(response?.['data'])) return null;
    const usage = asObject(response['usage']);
    return {
      vectors: response['data'].map((each) => ({
        index: asObject(each)?.['index'],
        vector: asObject(each)?.['embedding'],
      })),
      tokens: usage?.['total_tokens'] ?? usage?.['prompt_tokens'],
    };
  },
  classify: openaiFault,
};
