/** Whether a request asks for an answer that conforms to a schema. One rule for all wires. */
import type { LlmRequest, OutputSchema } from '../client.ts';
import type { ModelInfo } from '../models/model-info.ts';

/** The schema to send, or null. It is sent in every request, or only in a closing one, depending on the model. */
export function heldSchema(
  request: Pick<LlmRequest, 'outputSchema' | 'closing'>,
  model: Pick<ModelInfo, 'structuredOutputs'>,
): OutputSchema | null {
  const { structuredOutputs: when } = model;
  const isSent = when === 'with_tools' || (when === 'closing' && request.closing === true);
  return (isSent && request.outputSchema) || null;
}

/** The tool choice of a request: where the schema would block tool calls, none is allowed. */
export function toolChoiceOf(
  request: Pick<LlmRequest, 'outputSchema' | 'closing' | 'toolChoice'>,
  model: Pick<ModelInfo, 'structuredOutputs'>,
): LlmRequest['toolChoice'] {
  const alone = model.structuredOutputs === 'closing' && heldSchema(request, model) !== null;
  return alone ? 'none' : request.toolChoice;
}
