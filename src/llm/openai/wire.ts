import { openaiSchema } from '../wire/openai-terms.ts';
import type { OptionRules } from '../wire/option-rules.ts';
import { bearer, type Wire, type WireOptions } from '../wire/wire.ts';
import { openaiFault } from './errors.ts';
import { openaiFold } from './fold.ts';
import { openaiBody } from './request.ts';

export const openaiOptions: OptionRules = {
  maxTemperature: 2,
  thinkingBudgets: false,
  maxStop: 4,
  stopWhileThinking: false,
  serviceTiers: ['auto', 'standard', 'flex', 'priority'],
  writeSchema: openaiSchema,
};

/** OpenAI's Chat Completions and compatible servers. The base URL ends in the version (`…/v1`). */
export function openaiWire({ provider, infoOf, host }: WireOptions): Wire {
  const isOpenAi = isOpenAiHost(host);
  const isMistral = /(^|\.)mistral\.ai$/.test(host);
  const callIds = isMistral ? /^[a-zA-Z0-9]{9}$/ : /^[^\s]{1,40}$/;
  const contextOf = (name: string) => {
    const model = infoOf(name);
    return { provider, isOpenAi, callIds, model, userAfterTools: model.userAfterTools && !isMistral };
  };
  return {
    path: () => '/chat/completions',
    modelsPath: '/models',
    headers: bearer,
    body: (request, stream) => openaiBody(request, stream, contextOf(request.model)),
    fold: (request, emit) => openaiFold({ provider, model: request.model }, emit),
    classify: openaiFault,
  };
}

/** OpenAI itself, also through Azure. */
export function isOpenAiHost(host: string): boolean {
  return /(^|\.)openai\.(com|azure\.com)$/.test(host);
}
