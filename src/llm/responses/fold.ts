import type { LlmEvent, StopReason, Usage } from '../client.ts';
import { answerLimits } from '../wire/answer-limits.ts';
import { errorBody, type Fault, fault, readEvent } from '../wire/fault.ts';
import { asArray, asObject, asString, type Loose } from '../wire/loose-json.ts';
import { isEndMarker } from '../wire/openai-terms.ts';
import type { Author } from '../wire/own-blocks.ts';
import { cutsAnswers } from '../wire/tool-input.ts';
import type { Answer, Fold } from '../wire/wire.ts';
import { responsesFault } from './errors.ts';
import { gatherItems } from './items.ts';
import { responsesUsage } from './usage.ts';

/** `incomplete_details.reason`. */
const INCOMPLETE: Readonly<Record<string, StopReason>> = {
  max_output_tokens: 'max_tokens',
  max_tokens: 'max_tokens',
  content_filter: 'refusal',
  context_length_exceeded: 'context_overflow',
};

/** Statuses of a response that has no answer yet; any other word of one that has output is a server's own word for its end. */
const UNFINISHED: ReadonlySet<string> = new Set(['queued', 'in_progress', 'pending', 'running']);
const ENDED: ReadonlySet<string> = new Set(['completed', 'complete', 'incomplete']);

/**
 * Folds the events of POST /responses, or its one body. The answer is complete at `response.completed` or
 * `response.incomplete`, whose `output` is the whole answer again. Unknown events and items are ignored or kept, never fatal.
 */
export function responsesFold(from: Author, emit: (event: LlmEvent) => void): Fold {
  const limits = answerLimits();
  const items = gatherItems(from, limits, emit);
  let id: string | null = null;
  let model: string | null = null;
  let end: { readonly status: string; readonly reason: string | null } | null = null;
  let usage: Usage | null = null;

  const describe = (response: Loose): void => {
    id ??= asString(response['id']) || null;
    model ??= asString(response['model']) || null;
  };

  const close = (response: Loose, status: string): Fault | null => {
    describe(response);
    if (status === 'failed' || status === 'cancelled' || isError(response)) {
      return responsesFault({ status: null, body: JSON.stringify({ error: response['error'] ?? `it is ${status}` }) });
    }
    const output = asArray(response['output']);
    if (UNFINISHED.has(status) || (!ENDED.has(status) && output.length === 0))
      return fault('protocol', `a response that is ${status.slice(0, 50) || 'without a status'} is not an answer`);
    items.replace(output);
    usage = responsesUsage(response['usage']);
    end = { status, reason: asString(asObject(response['incomplete_details'])?.['reason']) };
    return limits.fault();
  };

  /** `size` is the event's length in characters: items come whole, with content of any kind. */
  const addEvent = (event: Loose, size: number): Fault | null => {
    const type = asString(event['type']) ?? '';
    // Nearly every event is a delta of an item.
    if (items.add(type, event, size)) return limits.fault();
    switch (type) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        describe(asObject(event['response']) ?? {});
        return null;
      case 'response.completed':
      case 'response.complete':
      case 'response.done':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        limits.keep(size);
        return close(asObject(event['response']) ?? {}, statusOf(type, asObject(event['response'])));
      default:
        if (type === 'error' || (type === '' && isError(event)))
          return responsesFault({ status: null, body: errorBody(event) });
        return null;
    }
  };

  return {
    event(data) {
      // Servers that also speak Chat Completions send its end marker here too.
      if (isEndMarker(data)) return null;
      return readEvent(data, (event) => addEvent(event, data.length));
    },
    whole(body) {
      const response = asObject(body);
      if (!response || isError(response)) return responsesFault({ status: null, body: errorBody(body) });
      if (response['status'] === undefined && !Array.isArray(response['output']))
        return fault('protocol', 'the response has no output');
      return close(response, asString(response['status']) ?? 'completed');
    },
    ended: () => end !== null,
    complete: () => end !== null,
    finish(): Answer | Fault {
      if (!end) return fault('connection', 'the stream ended before the end of the answer (no response.completed)');
      const reason = stopOf(end, items.refused(), items.hasCalls());
      const { content, cut } = items.finish(cutsAnswers(reason));
      return {
        type: 'answer',
        model: model ?? from.model,
        responseId: id,
        content,
        stopReason: reason,
        rawStopReason: end.reason ?? end.status,
        cutToolCalls: cut,
        usage,
      };
    },
  };
}

/** The type of the event says how the response ended, except `response.done`. */
function statusOf(type: string, response: Loose | null): string {
  if (type === 'response.done') return asString(response?.['status']) ?? 'completed';
  return type.slice('response.'.length);
}

function stopOf(
  { status, reason }: { status: string; reason: string | null },
  refused: boolean,
  calls: boolean,
): StopReason {
  if (status === 'incomplete') return INCOMPLETE[reason ?? ''] ?? 'other';
  if (refused) return 'refusal';
  return calls ? 'tool_use' : 'end_turn';
}

/** Answers carry `error: null`. */
function isError({ error }: Loose): boolean {
  return typeof error === 'string' ? error !== '' : asObject(error) !== null;
}
