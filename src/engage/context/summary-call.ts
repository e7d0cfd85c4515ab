/** The last resort for a full context: a model summarises what happened so far, if the ledger says too little. */

import { fenced } from '../../core/text/fence.ts';
import { BYTES_PER_TOKEN } from '../../core/work/tokens.ts';
import type { ContentBlock, LlmFailure, LlmRequest, LlmResponse } from '../../llm/client.ts';
import type { Transcript } from '../../store/transcript/transcript.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';
import { span } from '../../telemetry/spans.ts';
import { cutMiddle, fairShare } from '../prompt/cut-text.ts';
import { SUMMARY_SYSTEM } from '../prompt/prompt.ts';
import type { FocusModel } from '../turn/focus-model.ts';
import { isFold, keptFrom } from './context-folds.ts';

/** Maximum tokens of a summary. */
const SUMMARY_TOKENS = 3000;

/** A model's summary of the history; the text may be empty. */
export interface Narrative {
  readonly text: string;
  readonly response: LlmResponse;
}

/** Asks the focus's own model once; returns the failure if that fails, or is stopped. `payOnce`: as in `CompleteOptions`. */
export async function narrate(
  request: LlmRequest,
  model: FocusModel,
  signal: AbortSignal,
  payOnce: boolean,
): Promise<Narrative | LlmFailure> {
  return span(
    'chat',
    { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': model.provider, 'gen_ai.request.model': model.model },
    async (chat) => {
      const result = await model.client.complete(request, { signal, timeouts: model.timeouts, payOnce });
      if (!result.ok) {
        chat.fail(result.failure.kind);
        return result.failure;
      }
      const { response } = result;
      const texts = response.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
      return { text: response.stopReason === 'refusal' ? '' : texts.join('').trim(), response };
    },
  );
}

/**
 * A separate request without tools. It contains the history as one text, so it is valid whatever the history contains. The history is cut to
 * half of the window, the longest pieces first.
 */
export function summaryRequest(transcript: Transcript, keepsFrom: number, model: FocusModel): LlmRequest {
  const pieces = historyPieces(transcript, keepsFrom);
  const bytes = (model.contextWindow / 2) * BYTES_PER_TOKEN;
  const share = fairShare(
    pieces.map((piece) => Buffer.byteLength(piece)),
    bytes - pieces.length,
  );
  const text = pieces.map((piece) => cutMiddle(piece, share, (leftOut) => ` [… ${leftOut} bytes …] `)).join('\n');
  const { conversationId, serviceTier, cacheTtl } = model.settings;
  return {
    model: model.model,
    system: SUMMARY_SYSTEM,
    tools: [],
    messages: [{ role: 'user', content: [{ type: 'text', text }] }],
    maxTokens: Math.min(SUMMARY_TOKENS, model.settings.maxTokens),
    ...(conversationId !== undefined && { conversationId }),
    // The cost of the focus is computed with both.
    ...(serviceTier !== undefined && { serviceTier }),
    ...(cacheTtl !== undefined && { cacheTtl }),
    // This is not a turn of the focus, so a script has no answer for it.
    turn: 0,
  };
}

function historyPieces(transcript: Transcript, keepsFrom: number): string[] {
  const from = keptFrom(transcript);
  const before = transcript.messages.filter((message) => message.afterTurn === 0 || isFold(message));
  const turns = transcript.turns.filter(({ turn }) => turn >= from && turn < keepsFrom);
  return [
    ...before.map(({ content }) => `[the beginning]\n${fenced(content)}`),
    ...turns.flatMap((turn) => [
      ...turnPieces(turn),
      ...transcript.messages
        .filter((message) => message.afterTurn === turn.turn && !isFold(message))
        .map(({ content }) => `[message]\n${fenced(content)}`),
    ]),
  ];
}

function turnPieces(turn: RecordedTurn): string[] {
  const said = turn.content.flatMap(saidIn);
  const results = turn.calls.map(
    (call) => `[${call.isError ? 'failed' : 'result'} of ${call.name}]\n${fenced(call.output ?? '')}`,
  );
  return [`[turn ${turn.turn}]`, ...said, ...results];
}

function saidIn(block: ContentBlock): string[] {
  if (block.type === 'text') return block.text.trim() === '' ? [] : [`[said]\n${fenced(block.text)}`];
  return block.type === 'tool_call' ? [`[call of ${block.name}] ${JSON.stringify(block.input)}`] : [];
}
