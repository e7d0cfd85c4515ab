import { isOpenAiHost, openaiOptions } from '../openai/wire.ts';
import type { OptionRules } from '../wire/option-rules.ts';
import { bearer, type Wire, type WireOptions } from '../wire/wire.ts';
import { responsesFault } from './errors.ts';
import { responsesFold } from './fold.ts';
import { responsesBody } from './request.ts';

/** As Chat Completions, without stop sequences. */
export const responsesOptions: OptionRules = { ...openaiOptions, maxStop: 0 };

/** OpenAI's Responses, without state at the provider. The base URL ends in the version (`…/v1`). */
export function responsesWire({ provider, infoOf, host }: WireOptions): Wire {
  const isOpenAi = isOpenAiHost(host);
  return {
    path: () => '/responses',
    modelsPath: '/models',
    headers: bearer,
    body: (request, stream) => responsesBody(request, stream, { provider, isOpenAi, model: infoOf(request.model) }),
    fold: (request, emit) => responsesFold({ provider, model: request.model }, emit),
    classify: responsesFault,
  };
}
