/** What a before_llm_call hook gets to see of a request: its newest messages, within bounds. Pure. */
import type { ContentBlock, Message } from '../../core/work/conversation.ts';
import { cutMiddle } from '../../engage/prompt/cut-text.ts';

/** The newest messages of a request, oldest first, and how many before them are left out. */
export interface RequestView {
  readonly messages: readonly MessageView[];
  readonly omitted_messages: number;
}

interface MessageView {
  readonly role: Message['role'];
  readonly content: readonly BlockView[];
}

type BlockView = Readonly<Record<string, unknown>>;

/** JSON of the messages together. */
const MAX_BYTES = 1024 * 1024;
const MAX_TEXT_BYTES = 65_536;
const MIN_TEXT_BYTES = 256;

/**
 * As many of the newest messages as fit into 1 MiB of JSON, each with its long texts cut to 64 KiB; at least the newest one, with its texts
 * cut further if need be. Reasoning is left out, and so are the bytes of files.
 */
export function viewRequest(messages: readonly Message[]): RequestView {
  const shown: MessageView[] = [];
  let left = MAX_BYTES;
  for (const message of messages.toReversed()) {
    const view = viewMessage(message, MAX_TEXT_BYTES);
    const bytes = sizeOf(view);
    if (bytes > left) break;
    left -= bytes;
    shown.unshift(view);
  }
  const newest = messages.at(-1);
  if (shown.length === 0 && newest !== undefined) {
    // Escapes can double the size of a text.
    const share = Math.floor(MAX_BYTES / 4 / Math.max(1, newest.content.length));
    shown.push(viewMessage(newest, Math.max(MIN_TEXT_BYTES, share)));
  }
  return { messages: shown, omitted_messages: messages.length - shown.length };
}

function viewMessage({ role, content }: Message, textBytes: number): MessageView {
  return { role, content: content.flatMap((block) => viewBlock(block, textBytes)) };
}

function viewBlock(block: ContentBlock, textBytes: number): BlockView[] {
  const cut = (text: string) => cutMiddle(text, textBytes, (bytes) => `\n[… ${bytes} bytes left out …]\n`);
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: cut(block.text) }];
    case 'tool_call': {
      const { id, name, input } = block;
      const written = JSON.stringify(input);
      const fits = Buffer.byteLength(written) <= textBytes;
      return [{ type: 'tool_call', id, name, ...(fits ? { input } : { input_text: cut(written) }) }];
    }
    case 'tool_result': {
      const text = block.content.map((part) => (part.type === 'text' ? part.text : `[${part.mediaType}]`)).join('\n');
      return [{ type: 'tool_result', call_id: block.callId, is_error: block.isError, text: cut(text) }];
    }
    case 'image':
    case 'document':
      return [{ type: block.type, media_type: block.mediaType, name: block.name ?? null }];
    case 'thinking':
    case 'redacted_thinking':
    case 'opaque':
      return [];
    default:
      return block satisfies never;
  }
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
