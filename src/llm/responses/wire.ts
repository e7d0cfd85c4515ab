import { isOpenAiHost } from '../openai/wire.ts';
import { openaiSchema } from '../wire/openai-terms.ts';
import type { OptionRules } from '../wire/option-rules.ts';
import type { Wire, WireOptions } from '../wire/wire.ts';
import { responsesFault } from './errors.ts';
import { responsesFold } from './fold.ts';
import { responsesBody } from './request.ts';

export const responsesOptions: OptionRules = {
  maxTemperature: 2,
  thinkingBudgets: false,
  maxStop: 0,
  stopWhileThinking: false,
  serviceTiers: ['auto', 'standard', 'flex', 'priority'],
  writeSchema: openaiSchema,
};

/** OpenAI's Responses, without state at the provider. The base URL ends in the version (`…/v1`). */
export function responsesWire({ provider, infoOf, host }: WireOptions): Wire {
  const isOpenAi = isOpenAiHost(host);
  return {
    path: () => '/responses',
    modelsPath: '/models',
    headers: (apiKey): Record<string, string> => (apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
    body: (request, stream) => responsesBody(request, stream, { provider, isOpenAi, model: infoOf(request.model) }),
    fold: (request, emit) => responsesFold({ provider, model: request.model, classify: responsesFault }, emit),
    classify: responsesFault,
  };
}
