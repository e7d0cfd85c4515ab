import type { ContentBlock, LlmEvent, StopReason, Usage } from '../client.ts';
import { answerLimits } from '../wire/answer-limits.ts';
import { callIds } from '../wire/call-ids.ts';
import { errorBody, type Fault, fault, readEvent } from '../wire/fault.ts';
import { asArray, asObject, asString, type Loose } from '../wire/loose-json.ts';
import type { Author } from '../wire/own-blocks.ts';
import { tokenCounts } from '../wire/token-counts.ts';
import { cutsAnswers, finishToolCall, type GatheredCall } from '../wire/tool-input.ts';
import type { Answer, Fold } from '../wire/wire.ts';
import { ollamaFault } from './errors.ts';

const STOPS: Readonly<Record<string, StopReason>> = { stop: 'end_turn', length: 'max_tokens' };

/** Folds the objects of POST /api/chat. Each tool call arrives complete, in one object. */
export function ollamaFold(from: Author, emit: (event: LlmEvent) => void): Fold {
  const idOf = callIds();
  const limits = answerLimits();
  const calls: GatheredCall[] = [];
  let text = '';
  let thinking = '';
  let model: string | null = null;
  let usage: Usage | null = null;
  let reason: string | null = null;
  let ended = false;

  const addCall = (value: Loose): void => {
    limits.call();
    const fn = asObject(value['function']) ?? {};
    const name = asString(fn['name']) ?? '';
    const id = idOf(asString(value['id']) ?? '');
    const input = asObject(fn['arguments']);
    // Objects keep the order of their keys; older versions of other servers send text.
    calls.push({ id, name, json: input ? null : (asString(fn['arguments']) ?? ''), input: input ?? {} });
    emit({ type: 'tool_call', id, name });
  };
  /** `size` is the line's length in characters. */
  const add = (value: Loose, size: number, within?: 'stream'): Fault | null => {
    if (value['error'] !== undefined && value['error'] !== null)
      return ollamaFault({ status: null, body: errorBody(value), ...(within && { within }) });
    model ??= asString(value['model']) || null;
    const message = asObject(value['message']) ?? {};
    const thought = asString(message['thinking']) ?? '';
    const said = asString(message['content']) ?? '';
    limits.keep(size);
    thinking += thought;
    text += said;
    if (thought !== '') emit({ type: 'thinking', text: thought });
    if (said !== '') emit({ type: 'text', text: said });
    for (const call of asArray(message['tool_calls'])) addCall(asObject(call) ?? {});
    if (value['done'] !== true) return limits.fault();
    ended = true;
    reason = asString(value['done_reason']);
    usage = usageOf(value);
    return limits.fault();
  };

  return {
    event(data) {
      return readEvent(data, (value) => add(value, data.length, 'stream'));
    },
    whole(body) {
      const value = asObject(body);
      return value ? add(value, JSON.stringify(body).length) : fault('protocol', 'the response is not a JSON object');
    },
    ended: () => ended,
    complete: () => ended,
    finish(): Answer | Fault {
      if (!ended) return fault('connection', 'the stream ended before the end of the answer (no done)');
      const stop = reason === null ? 'end_turn' : (STOPS[reason] ?? 'other');
      const stopReason = stop === 'end_turn' && calls.length > 0 ? 'tool_use' : stop;
      const finished = calls.map((call, at) =>
        finishToolCall(call, cutsAnswers(stopReason) && at === calls.length - 1),
      );
      const content: ContentBlock[] = [
        ...(thinking === '' ? [] : [{ type: 'thinking', text: thinking, ...from } as const]),
        ...(text === '' ? [] : [{ type: 'text', text } as const]),
        ...finished.filter((call) => call !== null),
      ];
      const cutToolCalls = calls.flatMap(({ name }, at) => (finished[at] === null ? name : []));
      return {
        type: 'answer',
        model: model ?? from.model,
        responseId: null,
        content,
        stopReason,
        rawStopReason: reason,
        cutToolCalls,
        usage,
      };
    },
  };
}

/** Null unless the last object counts at least the answer; a prompt that was wholly cached is not counted by old versions. */
function usageOf(value: Loose): Usage | null {
  const counts = tokenCounts();
  const output = counts.read('eval_count', value['eval_count']);
  const input = counts.read('prompt_eval_count', value['prompt_eval_count']);
  if (output === null && input === null) return null;
  return counts.usage({ input: input ?? 0, output: output ?? 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 });
}
