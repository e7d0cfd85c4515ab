import type { ContentBlock, LlmEvent } from '../client.ts';
import { answerLimits } from '../wire/answer-limits.ts';
import { callIds } from '../wire/call-ids.ts';
import { errorBody, type Fault, fault, readEvent } from '../wire/fault.ts';
import { asArray, asObject, asObjects, asString, type Loose, parseJson } from '../wire/loose-json.ts';
import type { Author } from '../wire/own-blocks.ts';
import { tokenCount } from '../wire/token-counts.ts';
import { cutsAnswers, finishToolCall } from '../wire/tool-input.ts';
import type { Answer, Fold } from '../wire/wire.ts';
import { anthropicFault } from './errors.ts';
import { stopReasonOf } from './stop-reason.ts';
import { mergeUsage, type RawUsage, usageOf } from './usage.ts';

/** A block that is being received: its start, and the content added by its deltas. */
interface Gathering {
  readonly start: Loose;
  readonly type: string;
  /** Of a call; '' for other blocks. */
  readonly callId: string;
  text: string;
  json: string;
  signature: string;
  citations: Loose[];
}

/** Folds the events of POST /v1/messages. Unknown events, deltas and blocks are ignored or kept, never fatal. */
export function anthropicFold(from: Author, emit: (event: LlmEvent) => void): Fold {
  let message: Loose | null = null;
  let usage: RawUsage = {};
  let stop: string | null = null;
  let finished = false;
  /** The counts are those of the whole answer, not of its beginning. */
  let counted = false;
  let ended = false;
  const blocks = new Map<number, Gathering>();
  let idOf = callIds();
  /** What message_start has said, until it is known whether the server streams it again. */
  let untold: LlmEvent[] | null = null;
  const limits = answerLimits();

  const startMessage = (value: Loose | null): Fault | null => {
    // A proxy has retried. Before any content the answer starts again; after that two answers would be mixed.
    if (blocks.size > 0) return fault('protocol', 'the stream began a second message inside the first');
    message = value ?? {};
    usage = mergeUsage({}, message['usage']);
    stop = asString(message['stop_reason']);
    // The whole answer may stand in it.
    counted = Boolean(stop) && asArray(message['content']).length > 0;
    untold = [];
    for (const [index, block] of asArray(message['content']).entries()) startBlock(index, asObject(block) ?? {});
    return null;
  };

  const report = (event: LlmEvent): void => {
    if (untold) untold.push(event);
    else emit(event);
  };

  const reportUntold = (): void => {
    const events = untold ?? [];
    untold = null;
    for (const event of events) emit(event);
  };

  const beginBlock = (index: number, start: Loose): Fault | null => {
    if (untold !== null && blocks.has(index)) {
      untold = null;
      blocks.clear();
      idOf = callIds();
    } else if (blocks.get(index)?.text)
      return fault('protocol', `the stream began block ${index} again, after its text`);
    reportUntold();
    startBlock(index, start);
    return null;
  };

  const startBlock = (index: number, start: Loose): void => {
    const type = asString(start['type']) ?? '';
    const text = asString(start[type === 'thinking' ? 'thinking' : 'text']) ?? '';
    const signature = asString(start['signature']) ?? '';
    const citations = [...asObjects(start['citations'])];
    const callId = type === 'tool_use' ? idOf(asString(start['id']) ?? '') : '';
    limits.part();
    if (type === 'tool_use') limits.call();
    blocks.set(index, { start, type, callId, text, json: '', signature, citations });
    if (type === 'tool_use') {
      report({ type: 'tool_call', id: callId, name: asString(start['name']) ?? '' });
    } else if (text !== '' && (type === 'text' || type === 'thinking')) {
      report({ type, text });
    }
  };

  const addText = (block: Gathering, type: 'text' | 'thinking', text: string | null): void => {
    if (!text) return;
    limits.keep(text.length);
    block.text += text;
    emit({ type, text });
  };

  const kept = (value: unknown): string => {
    const text = asString(value) ?? '';
    limits.keep(text.length);
    return text;
  };

  const addDelta = (block: Gathering, delta: Loose, size: number): void => {
    switch (delta['type']) {
      case 'text_delta':
        addText(block, 'text', asString(delta['text']));
        return;
      case 'thinking_delta':
        addText(block, 'thinking', asString(delta['thinking']));
        return;
      case 'input_json_delta':
        block.json += kept(delta['partial_json']);
        return;
      case 'signature_delta':
        block.signature += kept(delta['signature']);
        return;
      case 'citations_delta':
        limits.part();
        limits.keep(size);
        if (asObject(delta['citation'])) block.citations.push(asObject(delta['citation']) ?? {});
        return;
      default:
        return;
    }
  };

  /** `size` is the event's length in characters: blocks may begin with all their content, of any kind. */
  const handle = (event: Loose, size: number): Fault | null => {
    switch (event['type']) {
      case 'content_block_delta': {
        reportUntold();
        const block = blocks.get(Number(event['index']));
        if (!block) return fault('protocol', `a delta for block ${String(event['index'])}, which was not started`);
        addDelta(block, asObject(event['delta']) ?? {}, size);
        return null;
      }
      case 'content_block_start':
        if (message === null) return fault('protocol', 'a block before message_start');
        limits.keep(size);
        return beginBlock(Number(event['index']), asObject(event['content_block']) ?? {});
      case 'message_start':
        limits.keep(size);
        return startMessage(asObject(event['message']));
      case 'message_delta': {
        reportUntold();
        const delta = asObject(event['delta']);
        stop = asString(delta?.['stop_reason']) ?? stop;
        finished ||= Boolean(asString(delta?.['stop_reason']));
        usage = mergeUsage(usage, event['usage']);
        counted ||= tokenCount(asObject(event['usage'])?.['output_tokens']) !== null;
        return null;
      }
      case 'message_stop':
        reportUntold();
        ended = true;
        return null;
      case 'error':
        return anthropicFault({ status: null, body: errorBody(event), within: 'stream' });
      default:
        return null;
    }
  };

  return {
    event(data) {
      return readEvent(data, (event) => handle(event, data.length) ?? limits.fault());
    },
    whole(body) {
      const value = asObject(body);
      if (value?.['type'] === 'error' || value?.['error']) {
        return anthropicFault({ status: null, body: errorBody(body) });
      }
      if (!Array.isArray(value?.['content'])) return fault('protocol', 'the response is not a message');
      ended = true;
      const cause = startMessage(value);
      counted = true;
      reportUntold();
      return cause ?? limits.fault();
    },
    ended: () => ended,
    // The reason arrives after all blocks; then only the counts and the end marker may be missing.
    complete: () => ended || finished,
    finish(): Answer | Fault {
      if (message === null || !(ended || finished))
        return fault('connection', 'the stream ended before the end of the answer (no message_stop)');
      const stopReason = stopReasonOf(stop);
      const cut: string[] = [];
      const gathered = [...blocks.entries()].sort(([a], [b]) => a - b).map(([, block]) => block);
      const content = gathered.flatMap((block, index) => {
        const mayBeCut = cutsAnswers(stopReason) && index === gathered.length - 1;
        const finished = finishBlock(block, mayBeCut, from);
        if (finished === null) cut.push(asString(block.start['name']) ?? '');
        return finished ?? [];
      });
      return {
        type: 'answer',
        model: asString(message['model']) ?? from.model,
        responseId: asString(message['id']),
        content,
        stopReason,
        rawStopReason: stop,
        cutToolCalls: cut,
        usage: usageOf(usage, counted),
      };
    },
  };
}

/** Converts the block; null for a tool call that was cut off. */
function finishBlock(block: Gathering, mayBeCut: boolean, from: Author): ContentBlock | null {
  const { start, text, citations } = block;
  switch (block.type) {
    case 'text':
      return { type: 'text', text, ...(citations.length > 0 && { citations }) };
    case 'thinking':
      return { type: 'thinking', text, ...(block.signature !== '' && { signature: block.signature }), ...from };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: asString(start['data']) ?? '', ...from };
    case 'tool_use': {
      const input = asObject(start['input']) ?? {};
      const json = block.json.trim() === '' && Object.keys(input).length > 0 ? null : block.json;
      return finishToolCall({ id: block.callId, name: asString(start['name']) ?? '', json, input }, mayBeCut);
    }
    default: {
      // The input of a server tool is streamed like ours, and is sent back with the rest.
      const input = block.json.trim() === '' ? undefined : asObject(parseJson(block.json));
      return { type: 'opaque', value: { ...start, ...(input && { input }) }, ...from };
    }
  }
}
