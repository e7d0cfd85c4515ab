import type { ContentBlock, Message } from '../client.ts';

/** Which model of which provider wrote a block: the requested one. */
export interface Author {
  readonly provider: string;
  readonly model: string;
}

/** True if this model of this provider wrote the block: signatures are valid for it only. */
export function ownsBlock(block: Author, provider: string, model: string): boolean {
  return block.provider === provider && block.model === model;
}

/**
 * The start of the open tool exchange: the index of the first message after the last user turn without tool results;
 * `messages.length` if that turn is the newest (no exchange is open). Consecutive user messages are one turn.
 */
export function openExchangeStart(messages: readonly Message[]): number {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    if (messages[index]?.role !== 'user') continue;
    const last = index;
    let holdsResult = false;
    for (; messages[index]?.role === 'user'; index -= 1)
      holdsResult ||= messages[index]?.content.some(isResult) ?? false;
    if (!holdsResult) return last + 1;
    index += 1;
  }
  return 0;
}

/**
 * Whether this call may think. Providers require that an open tool exchange begins with the thinking before its calls. An
 * exchange that another model started, or that started without thinking, is finished without it.
 */
export function thinkingMayRun(messages: readonly Message[], provider: string, model: string): boolean {
  const open = messages.slice(openExchangeStart(messages)).filter((message) => message.role === 'assistant');
  const first = open[0]?.content.find((block) => block.type !== 'text' || block.text.trim() !== '');
  if (open.length === 0) return true;
  return first !== undefined && isThinking(first) && ownsBlock(first, provider, model) && isSendable(first);
}

function isResult(block: ContentBlock): boolean {
  return block.type === 'tool_result';
}

function isThinking(block: ContentBlock) {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

function isSendable(block: ContentBlock): boolean {
  return block.type !== 'thinking' || block.signature !== undefined;
}
