/** Measures how full the context is: the provider's own count of the last request, plus an estimate of the changes since. Pure. */
import { estimateBlock, estimateBlocks, estimateMessages } from '../../core/work/message-tokens.ts';
import { estimateTokens } from '../../core/work/tokens.ts';
import type { ToolSpec } from '../../llm/client.ts';
import type { RecordedCall } from '../../store/transcript/calls.ts';
import type { EngineMessage } from '../../store/transcript/messages.ts';
import type { Transcript } from '../../store/transcript/transcript.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';
import { newestAsShown, renderMessages } from './context.ts';
import { isFold } from './context-folds.ts';

/** The part before the messages in every request of a focus. */
export interface Prefix {
  readonly systemPrompt: string;
  readonly toolSpecs: readonly ToolSpec[];
}

/**
 * Tokens of the next request. The input count of the last answer applies to the request before it; what was added or
 * folded since is the difference of two estimates. Without a count, everything is estimated.
 */
export function inputPressure(transcript: Transcript, prefix: Prefix): number {
  const last = transcript.turns.at(-1);
  // After an earlier answer of the conversation its tool traffic is folded.
  if (last?.inputTokens == null || last.era !== undefined) {
    return estimateRequest(transcript) + estimateTokens(prefix.systemPrompt + JSON.stringify(prefix.toolSpecs));
  }
  const since = transcript.messages.filter(({ afterTurn }) => afterTurn >= last.turn);
  // Where nothing was folded or left out, the request only grew: most turns need not estimate the whole history.
  if (!since.some((message) => isFold(message) || message.kind === 'left_out'))
    return last.inputTokens + estimateTurn(newestAsShown(transcript)) + sum(since.map(estimateMessage));
  const asked = {
    turns: transcript.turns.slice(0, -1),
    messages: transcript.messages.filter(({ afterTurn }) => afterTurn < last.turn),
  };
  return Math.max(0, last.inputTokens + estimateRequest(transcript) - estimateRequest(asked));
}

function estimateRequest(transcript: Transcript): number {
  return estimateMessages(renderMessages(transcript));
}

function estimateMessage({ content, media }: EngineMessage): number {
  return estimateTokens(content) + (media === undefined ? 0 : estimateBlock(media));
}

/** Estimated tokens of an answer and the results of its calls, with the files that these show. */
export function estimateTurn(turn: RecordedTurn): number {
  return estimateBlocks(turn.content) + sum(turn.calls.map(estimateResult));
}

function estimateResult({ output, shown = [] }: RecordedCall): number {
  return estimateTokens(output ?? '') + sum(shown.map(({ media }) => estimateBlock(media)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
