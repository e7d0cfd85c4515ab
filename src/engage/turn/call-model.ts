/** A live call of a focus's model. */
import type { LlmEvent, LlmRequest, LlmResult, Message } from '../../llm/client.ts';
import { span } from '../../telemetry/spans.ts';
import type { FocusListener } from '../events/events.ts';
import type { LoopFocus, LoopRun } from './loop-state.ts';
import { measure } from './measure-answer.ts';

/** The request of a turn. */
export function requestOf(turn: number, messages: readonly Message[], focus: LoopFocus): LlmRequest {
  const { model, settings } = focus.model;
  return { ...settings, model, system: focus.systemPrompt, tools: focus.toolSpecs, messages, turn };
}

/** Of the span of a call. */
export function attributesOf({ model: { provider, model } }: LoopFocus) {
  return { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': provider, 'gen_ai.request.model': model };
}

/** Asks for an answer at once. Under limits, a request that may have cost something is not sent again. */
export async function callModel(
  turn: number,
  messages: readonly Message[],
  focus: LoopFocus,
  run: LoopRun,
): Promise<LlmResult> {
  const { client, timeouts } = focus.model;
  return span('chat', attributesOf(focus), async (chat) => {
    const onEvent = (event: LlmEvent) => passOn(turn, event, run.onEvent);
    const options = { signal: run.signal, timeouts, canDiscard: true, payOnce: run.budget.limited, onEvent };
    const result = await client.complete(requestOf(turn, messages, focus), options);
    if (result.ok) measure(chat, result.response, focus);
    else chat.fail(result.failure.kind);
    return result;
  });
}

function passOn(turn: number, event: LlmEvent, onEvent: FocusListener): void {
  if (event.type === 'text') onEvent({ type: 'text', live: true, turn, text: event.text });
  if (event.type === 'restart') onEvent({ type: 'withdrawn', live: true, turn });
}
