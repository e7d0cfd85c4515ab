import type { ContentBlock, LlmEvent, StopReason, Usage } from '../client.ts';
import { answerLimits } from '../wire/answer-limits.ts';
import { errorBody, type Fault, fault, readEvent } from '../wire/fault.ts';
import { asArray, asObject, asString, type Loose } from '../wire/loose-json.ts';
import { isEndMarker } from '../wire/openai-terms.ts';
import type { Author } from '../wire/own-blocks.ts';
import { cutsAnswers } from '../wire/tool-input.ts';
import type { Answer, Fold } from '../wire/wire.ts';
import { openaiFault } from './errors.ts';
import { gatherReasoning } from './reasoning.ts';
import { gatherToolCalls } from './tool-calls.ts';
import { openaiUsage } from './usage.ts';

const STOPS: Readonly<Record<string, StopReason>> = {
  stop: 'end_turn',
  eos: 'end_turn',
  end_turn: 'end_turn',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  length: 'max_tokens',
  max_tokens: 'max_tokens',
  model_length: 'context_overflow',
  content_filter: 'refusal',
  refusal: 'refusal',
  sensitive: 'refusal',
};

/** Folds chunks of POST /chat/completions, from OpenAI and compatible servers. */
export function openaiFold(from: Author, emit: (event: LlmEvent) => void): Fold {
  const reasoning = gatherReasoning();
  const limits = answerLimits();
  const toolCalls = gatherToolCalls(from, limits);
  let text = '';
  let refused = false;
  let finish: string | null = null;
  let usage: Usage | null = null;
  let id: string | null = null;
  let model: string | null = null;
  let ended = false;
  let streamed = false;

  const addText = (value: string): void => {
    if (value === '') return;
    limits.keep(value.length);
    text += value;
    emit({ type: 'text', text: value });
  };

  const addMessage = (message: Loose, size: number): void => {
    const thought = reasoning.add(message);
    if (thought !== '') {
      limits.keep(thought.length);
      emit({ type: 'thinking', text: thought });
    }
    if (message['reasoning_details']) {
      limits.part();
      limits.keep(size);
    }
    addText(textOf(message['content']));
    const refusal = asString(message['refusal']) ?? '';
    refused ||= refusal !== '';
    addText(refusal);
    for (const delta of asArray(message['tool_calls'])) {
      const begun = toolCalls.add(asObject(delta) ?? {});
      if (begun) emit({ type: 'tool_call', ...begun });
    }
  };

  /** `size` is the chunk's length in characters. */
  const addChunk = (chunk: Loose, size: number): Fault | null => {
    if (isError(chunk)) return openaiFault({ status: null, body: errorBody(chunk) });
    id ??= asString(chunk['id']) || null;
    model ??= asString(chunk['model']) || null;
    for (const each of asArray(chunk['choices'])) {
      const choice = asObject(each) ?? {};
      if (isError(choice)) return openaiFault({ status: null, body: errorBody(choice) });
      const delta = asObject(choice['delta']);
      // Some servers end with a chunk that has the whole message again.
      const message = delta ?? (streamed ? null : asObject(choice['message']));
      streamed ||= delta !== null;
      if (message) addMessage(message, size);
      finish = asString(choice['finish_reason']) || finish;
      usage = openaiUsage(choice['usage']) ?? usage;
    }
    usage = openaiUsage(chunk['usage']) ?? openaiUsage(asObject(chunk['x_groq'])?.['usage']) ?? usage;
    return limits.fault();
  };

  return {
    event(data) {
      if (isEndMarker(data)) {
        ended = true;
        return null;
      }
      return readEvent(data, (chunk) => addChunk(chunk, data.length));
    },
    whole(body) {
      const value = asObject(body);
      if (!value) return openaiFault({ status: null, body: errorBody(body) });
      if (!isError(value) && asArray(value['choices']).length === 0)
        return fault('protocol', 'the response has no choices');
      ended = true;
      return addChunk(value, 0);
    },
    ended: () => ended,
    complete: () => ended || finish !== null,
    finish(): Answer | Fault {
      const saidNothing = finish === null && text === '' && toolCalls.size() === 0;
      if (saidNothing || (!ended && finish === null)) {
        return fault('connection', 'the stream ended before the end of the answer (no finish_reason)');
      }
      const stopReason = stopOf(finish, refused, toolCalls.size() > 0);
      const { calls, cut } = toolCalls.finish(cutsAnswers(stopReason));
      const thinking = reasoning.finish(from);
      const content: ContentBlock[] = [
        ...(thinking ? [thinking] : []),
        ...(text === '' ? [] : [{ type: 'text', text } as const]),
        ...calls,
      ];
      return {
        type: 'answer',
        model: model ?? from.model,
        responseId: id,
        content,
        stopReason,
        rawStopReason: finish,
        cutToolCalls: cut,
        usage,
      };
    },
  };
}

/** With tool calls, `stop` or a missing reason means `tool_use`. */
function stopOf(finish: string | null, refused: boolean, hasCalls: boolean): StopReason {
  const stop = finish === null ? 'end_turn' : (STOPS[finish] ?? 'other');
  if (refused) return 'refusal';
  return stop === 'end_turn' && hasCalls ? 'tool_use' : stop;
}

/** Ignores `error: null` and an empty error, which some vendors put into normal chunks. */
function isError(value: Loose): boolean {
  const error = value['error'];
  return typeof error === 'string' ? error !== '' : asObject(error) !== null || value['object'] === 'error';
}

/** Accepts a string, null, or parts, of which only texts are used. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return asArray(content)
    .map((part) => (asObject(part)?.['type'] === 'text' ? (asString(asObject(part)?.['text']) ?? '') : ''))
    .join('');
}
