/** The span and the metrics of an answer. */
import type { LlmResponse } from '../../llm/client.ts';
import { record } from '../../telemetry/metrics.ts';
import type { ActiveSpan } from '../../telemetry/spans.ts';

/** Describes the answer on its span, and records its tokens and, if it was live, its times. */
export function measure(
  chat: ActiveSpan<'chat'>,
  response: LlmResponse,
  asked: { readonly faculty: string; readonly model: { readonly model: string; readonly batch?: unknown } },
): void {
  // The fallback that answered may belong to another provider.
  chat.set({
    'gen_ai.provider.name': response.provider,
    'gen_ai.response.model': response.model,
    'gen_ai.response.id': response.responseId,
    'gen_ai.response.finish_reasons': [response.rawStopReason ?? response.stopReason],
    'gen_ai.usage.input_tokens': response.usage?.input,
    'gen_ai.usage.output_tokens': response.usage?.output,
    'gen_ai.usage.cache_read.input_tokens': response.usage?.cacheRead,
    'gen_ai.usage.cache_creation.input_tokens': response.usage?.cacheWrite,
    'work.usage.estimated': response.usage?.estimated ?? false,
  });
  const labels = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': response.provider,
    'gen_ai.request.model': asked.model.model,
    'gen_ai.response.model': response.model,
  };
  // An answer of a batch has no duration.
  if (asked.model.batch === undefined) record('gen_ai.client.operation.duration', response.durationMs / 1000, labels);
  if (response.timeToFirstTokenMs !== null) {
    record('gen_ai.client.operation.time_to_first_chunk', response.timeToFirstTokenMs / 1000, labels);
  }
  if (response.usage) {
    const { input, output, cacheRead, estimated = false } = response.usage;
    if (!estimated) record('work.context.cache_hit_ratio', cacheRead / Math.max(1, input), { faculty: asked.faculty });
    record('gen_ai.client.token.usage', input, {
      ...labels,
      'gen_ai.token.type': 'input',
      estimated: String(estimated),
    });
    record('gen_ai.client.token.usage', output, {
      ...labels,
      'gen_ai.token.type': 'output',
      estimated: String(estimated),
    });
  }
}
