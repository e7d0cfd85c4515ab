import type { ContentBlock, Message } from '../client.ts';

/** True where this provider's model wrote the block: signatures hold for nobody else. */
export function ownsBlock(
  block: { readonly provider: string; readonly model: string },
  provider: string,
  model: string,
): boolean {
  return block.provider === provider && block.model === model;
}

/**
 * Where the open tool exchange begins: the index of the first message after the last user turn that holds no tool
 * result; `messages.length` when that turn is the newest (nothing is open). User messages in a row are one turn.
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
 * May this call think? Providers want an open tool exchange to begin with the thinking that led to its calls; one that
 * another model began, or that was begun without thinking, is finished without it.
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
