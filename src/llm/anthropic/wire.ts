import type { LlmRequest } from '../client.ts';
import type { ModelInfo } from '../models/model-info.ts';
import { ANTHROPIC_DIALECT } from '../schema/dialect.ts';
import { strictSchema } from '../schema/strict-schema.ts';
import type { OptionRules } from '../wire/option-rules.ts';
import type { Wire, WireOptions } from '../wire/wire.ts';
import { budgetOf } from './effort.ts';
import { anthropicFault } from './errors.ts';
import { anthropicFold } from './fold.ts';
import { anthropicBody } from './request.ts';

export const anthropicOptions: OptionRules = {
  maxTemperature: 1,
  thinkingBudgets: true,
  maxStop: null,
  stopWhileThinking: true,
  serviceTiers: ['auto', 'standard'],
  writeSchema: (schema) => strictSchema(schema, ANTHROPIC_DIALECT),
};

/** Anthropic's Messages API, version 2023-06-01, and compatible servers. */
export function anthropicWire({ provider, infoOf }: WireOptions): Wire {
  return {
    path: () => '/v1/messages',
    modelsPath: '/v1/models',
    headers: (apiKey, request) => ({
      'anthropic-version': '2023-06-01',
      ...(apiKey !== null && { 'x-api-key': apiKey }),
      ...(request !== null && betas(request, infoOf(request.model))),
    }),
    body: (request, stream) => anthropicBody(request, stream, { provider, model: infoOf(request.model) }),
    fold: (request, emit) => anthropicFold({ provider, model: request.model }, emit),
    classify: anthropicFault,
  };
}

/** Allows thinking between tool calls. Otherwise an exchange whose first turn became a stub could not think again. */
function betas(request: LlmRequest, model: ModelInfo): Record<string, string> {
  if (budgetOf(request, model) === undefined || request.tools.length === 0) return {};
  return { 'anthropic-beta': 'interleaved-thinking-2025-05-14' };
}
