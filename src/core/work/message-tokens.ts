/** Estimates of the tokens of messages and their blocks. Pure. */
import type { ContentBlock, Message } from './conversation.ts';
import { BYTES_PER_TOKEN, estimateTokens } from './tokens.ts';

/** Estimated tokens of messages. */
export function estimateMessages(messages: readonly Message[]): number {
  return estimateBlocks(messages.flatMap(({ content }) => content));
}

/** Estimated tokens of the blocks of a message or an answer. */
export function estimateBlocks(blocks: readonly ContentBlock[]): number {
  return blocks.reduce((total, block) => total + estimateBlock(block), 0);
}

/** For files without an estimate of their own: an image as the models of today see it, a document by its bytes. */
const IMAGE_TOKENS = 4784;

/** Estimated tokens of one block. */
export function estimateBlock(block: ContentBlock): number {
  switch (block.type) {
    case 'text':
      return estimateTokens(block.text);
    case 'thinking':
      return Math.max(estimateTokens(block.text), estimateItem(block.item));
    case 'tool_call':
      return block.invalidInput === undefined
        ? estimateJson(block.input, block.name)
        : estimateTokens(block.name + block.invalidInput);
    case 'tool_result':
      return estimateBlocks(block.content);
    case 'image':
      return block.tokens ?? IMAGE_TOKENS;
    case 'document':
      return block.tokens ?? estimateTokens(block.data);
    case 'redacted_thinking':
      return estimateTokens(block.data);
    case 'opaque':
      return estimateJson(block.value);
    default:
      return block satisfies never;
  }
}

/** A reasoning item of OpenAI's Responses. Encrypted text is a third longer than what it stands for. */
function estimateItem(item: Readonly<Record<string, unknown>> = {}): number {
  const sealed = item['encrypted_content'];
  return typeof sealed === 'string' ? Math.ceil(estimateTokens(sealed) * 0.75) : 0;
}

/** Texts beyond this are counted as they are: writing out megabytes with their escapes takes longer than reading the answer did. */
const LONG_BYTES = 1024 * 1024;

/** Estimated tokens of a value as JSON, after a name. */
function estimateJson(value: unknown, name = ''): number {
  const bytes = textBytes(value);
  return bytes > LONG_BYTES ? Math.ceil(bytes / BYTES_PER_TOKEN) : estimateTokens(name + JSON.stringify(value));
}

/** The bytes of all texts and keys of a value, in UTF-8 and without escapes. */
function textBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = 0;
  for (const [key, element] of Object.entries(value)) bytes += key.length + textBytes(element);
  return bytes;
}
