import { openaiFault } from '../openai/errors.ts';
import { asArray, asObject } from '../wire/loose-json.ts';
import type { EmbeddingsApi } from './embeddings-api.ts';

/** POST /embeddings, as OpenAI and compatible servers have it. */
export const openaiEmbeddings: EmbeddingsApi = {
  path: () => '/embeddings',
  headers: (key): Record<string, string> => (key === null ? {} : { authorization: `Bearer ${key}` }),
  body: ({ model, texts, dimensions }) => ({ model, input: texts, ...(dimensions !== null && { dimensions }) }),
  read(body) {
    const response = asObject(body);
    if (!Array.isArray(response?.['data'])) return null;
    const usage = asObject(response['usage']);
    return {
      vectors: asArray(response['data']).map((each) => ({
        index: asObject(each)?.['index'],
        vector: asObject(each)?.['embedding'],
      })),
      tokens: usage?.['total_tokens'] ?? usage?.['prompt_tokens'],
    };
  },
  classify: openaiFault,
};
