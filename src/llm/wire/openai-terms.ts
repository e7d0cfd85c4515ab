/** Terms that both of OpenAI's APIs share: the schema of an answer, and the classes of service. */
import type { ServiceTier } from '../../core/config/providers/model-words.ts';
import type { LlmRequest } from '../client.ts';
import type { ModelInfo } from '../models/model-info.ts';
import { type JsonSchema, OPENAI_DIALECT } from '../schema/dialect.ts';
import { grammarSchema } from '../schema/grammar-schema.ts';
import { type StrictSchema, strictSchema } from '../schema/strict-schema.ts';
import { heldSchema } from './held-schema.ts';

/** The API's words for classes of service. */
export const OPENAI_TIERS: Readonly<Record<ServiceTier, string>> = {
  auto: 'auto',
  standard: 'default',
  flex: 'flex',
  priority: 'priority',
};

/** The schema of an answer in the form that OpenAI accepts. Servers that enforce one only without tools turn it into a grammar. */
export function openaiSchema(schema: JsonSchema, model: Pick<ModelInfo, 'structuredOutputs'>): StrictSchema {
  if (model.structuredOutputs === 'with_tools') return strictSchema(schema, OPENAI_DIALECT);
  return { schema: grammarSchema(schema), counts: { optional: 0, unions: 0 } };
}

/** The format of an answer that must conform to a schema: its name, the schema, and whether it is strict; null without one. */
export function openaiFormat(
  request: Pick<LlmRequest, 'outputSchema' | 'closing'>,
  model: Pick<ModelInfo, 'structuredOutputs'>,
): Readonly<Record<string, unknown>> | null {
  const held = heldSchema(request, model);
  const written = held === null ? null : openaiSchema(held.schema, model);
  if (held === null || written === null || 'problem' in written) return null;
  // `strict` exists only at OpenAI; servers that turn the schema into a grammar always enforce it.
  const strict = model.structuredOutputs === 'with_tools' && { strict: true };
  return { name: held.name, ...strict, schema: written.schema };
}

/** True for the event that ends a stream, perhaps with white space around it; any other is longer. */
export function isEndMarker(data: string): boolean {
  return data.length < 100 && data.trim() === '[DONE]';
}
