/** A live call of a focus's model. */
import type {
  CompleteOptions,
  LlmClient,
  LlmEvent,
  LlmRequest,
  LlmResult,
  Message,
  ToolSpec,
} from '../../llm/client.ts';
import { span } from '../../telemetry/spans.ts';
import type { FocusListener } from '../events/events.ts';
import { measure } from './measure-answer.ts';

/** A model as it is asked. */
export interface AskedModel {
  readonly client: LlmClient;
  readonly provider: string;
  /** As the provider knows it. */
  readonly model: string;
  readonly settings: Omit<LlmRequest, 'model' | 'system' | 'tools' | 'messages' | 'turn'>;
  readonly timeouts: NonNullable<CompleteOptions['timeouts']>;
  /** There if turns are asked in batches. */
  readonly batch?: unknown;
}

/** What a call needs. */
export interface CallMeans {
  /** The faculty's name, for metrics. */
  readonly faculty: string;
  readonly model: AskedModel;
  readonly systemPrompt: string;
  readonly toolSpecs: readonly ToolSpec[];
  readonly signal: AbortSignal;
  readonly onEvent: FocusListener;
  /** True: a request that may have cost something is not sent again. Default false. */
  readonly payOnce?: boolean;
}

/** The request of a turn. */
export function requestOf(turn: number, messages: readonly Message[], means: CallMeans): LlmRequest {
  const { model, settings } = means.model;
  return { ...settings, model, system: means.systemPrompt, tools: means.toolSpecs, messages, turn };
}

/** Of the span of a call. */
export function attributesOf({ model: { provider, model } }: CallMeans) {
  return { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': provider, 'gen_ai.request.model': model };
}

/** Asks for an answer at once. */
export async function callModel(turn: number, messages: readonly Message[], means: CallMeans): Promise<LlmResult> {
  const { client, timeouts } = means.model;
  return span('chat', attributesOf(means), async (chat) => {
    const onEvent = (event: LlmEvent) => passOn(turn, event, means.onEvent);
    const options = { signal: means.signal, timeouts, canDiscard: true, payOnce: means.payOnce ?? false, onEvent };
    const result = await client.complete(requestOf(turn, messages, means), options);
    if (result.ok) measure(chat, result.response, means);
    else chat.fail(result.failure.kind);
    return result;
  });
}

function passOn(turn: number, event: LlmEvent, onEvent: FocusListener): void {
  if (event.type === 'text') onEvent({ type: 'text', live: true, turn, text: event.text });
  if (event.type === 'restart') onEvent({ type: 'withdrawn', live: true, turn });
}
