import { grammarSchema } from '../schema/grammar-schema.ts';
import type { OptionRules } from '../wire/option-rules.ts';
import { bearer, type Wire, type WireOptions } from '../wire/wire.ts';
import { ollamaFault } from './errors.ts';
import { ollamaFold } from './fold.ts';
import { jsonLines } from './json-lines.ts';
import { ollamaBody } from './request.ts';

export const ollamaOptions: OptionRules = {
  maxTemperature: 2,
  thinkingBudgets: false,
  maxStop: null,
  stopWhileThinking: true,
  serviceTiers: [],
  writeSchema: (schema) => ({ schema: grammarSchema(schema), counts: { optional: 0, unions: 0 } }),
};

/**
 * Ollama's own chat API. Its OpenAI-compatible one ignores the size of the window and silently cuts longer prompts;
 * this one accepts the size (`num_ctx`) and refuses longer prompts. The base URL has no path.
 */
export function ollamaWire({ provider, infoOf }: WireOptions): Wire {
  return {
    path: () => '/api/chat',
    modelsPath: '/api/tags',
    // A server in the cloud or behind a proxy may require a key.
    headers: bearer,
    body: (request, stream) => ollamaBody(request, stream, { provider, model: infoOf(request.model) }),
    fold: (request, emit) => ollamaFold({ provider, model: request.model }, emit),
    framing: jsonLines,
    classify: ollamaFault,
  };
}
