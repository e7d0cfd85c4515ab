/** Replaces images and documents that a model cannot read by a note that says so. */
import type { LlmRequest, MediaBlock, Message, TextBlock } from '../client.ts';
import type { ModelInfo } from '../models/model-info.ts';
import { imageSize } from './image-size.ts';

/** What a wire format accepts, for all its models. */
export interface MediaRules {
  /** The largest image, in bytes of base64. */
  readonly imageBytes: number;
  /** The longest edge of an image in pixels; null: no limit. */
  readonly imageEdge: number | null;
  /** Whether it takes a GIF of several pictures, and shows the first. */
  readonly animated: boolean;
}

/** OpenAI's limit per image, and that of servers which also scale large ones down. */
export const SCALED_IMAGES: MediaRules = { imageBytes: 20 * 1024 * 1024, imageEdge: null, animated: false };

/** No provider takes more: a small file can claim to be an image that nobody has the memory for. */
const MAX_PIXELS = 100_000_000;

/** The formats that every vendor with images reads. */
const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/**
 * The messages of a request, with words in place of what the model cannot be shown: nothing is left out silently, and no request is
 * refused for it. The same messages, model and rules give the same bytes. Messages without media are returned as they are.
 */
export function visibleMessages(
  { messages, model }: Pick<LlmRequest, 'messages' | 'model'>,
  info: Pick<ModelInfo, 'images' | 'documents'>,
  rules: MediaRules,
): readonly Message[] {
  if (!messages.some(hasMedia)) return messages;
  const shown = <Block extends Message['content'][number]>(block: Block): Block | TextBlock => {
    if (block.type !== 'image' && block.type !== 'document') return block;
    const text = wordsInPlace(block, model, info, rules);
    return text === null ? block : { type: 'text', text };
  };
  return messages.map((message) => ({
    ...message,
    content: message.content.map((block) =>
      block.type === 'tool_result' ? { ...block, content: block.content.map(shown) } : shown(block),
    ),
  }));
}

/** Models of a chain that cannot be shown a file. */
export interface UnseenMedia {
  readonly by: readonly { readonly model: string; readonly words: string }[];
  /** True: none of the chain can. */
  readonly byAll: boolean;
}

/** The words in place of a file that the model cannot be shown; null if it can. */
export function wordsInPlace(
  block: MediaBlock,
  model: string,
  info: Pick<ModelInfo, 'images' | 'documents'>,
  rules: MediaRules,
): string | null {
  const why = obstacle(block, model, info, rules);
  return why === null ? null : notShown(block, why);
}

/** Why the model cannot be shown the file, or null. */
function obstacle(
  { type, mediaType, data }: MediaBlock,
  model: string,
  { images, documents }: Pick<ModelInfo, 'images' | 'documents'>,
  { imageBytes, imageEdge, animated }: MediaRules,
): string | null {
  if (mediaType.startsWith('text/')) return null;
  if (type === 'document') {
    if (mediaType !== 'application/pdf') return `files of type ${mediaType} cannot be sent to a model`;
    return documents ? null : `the model ${model} cannot read PDF files`;
  }
  if (!images) return `the model ${model} cannot see images`;
  if (!IMAGE_TYPES.has(mediaType)) return `images of type ${mediaType} cannot be sent to a model`;
  if (data.length > imageBytes) {
    return `the image has ${data.length} bytes in base64, and the provider takes at most ${imageBytes}`;
  }
  if (!animated && mediaType === 'image/gif' && isAnimated(data)) {
    return 'the GIF is animated, and the provider takes only single pictures';
  }
  const size = imageSize(data);
  if (size === null) return null;
  const pixels = `the image has ${size.width} × ${size.height} pixels, and`;
  if (imageEdge !== null && Math.max(size.width, size.height) > imageEdge) {
    return `${pixels} the provider takes at most ${imageEdge} on an edge`;
  }
  return size.width * size.height > MAX_PIXELS ? `${pixels} providers take at most ${MAX_PIXELS}` : null;
}

/** How a graphic control extension of a GIF begins: its kind, and that it has four bytes. */
const CONTROL = Buffer.from([0x21, 0xf9, 0x04]);

/** Whether a GIF has more than one picture: each has such an extension in front of it. */
function isAnimated(base64: string): boolean {
  const bytes = Buffer.from(base64, 'base64');
  let pictures = 0;
  for (let at = bytes.indexOf(CONTROL); at >= 0 && pictures < 2; at = bytes.indexOf(CONTROL, at + 1)) {
    // After its end comes a picture or another extension.
    if (bytes[at + 7] === 0 && (bytes[at + 8] === 0x2c || bytes[at + 8] === 0x21)) pictures += 1;
  }
  return pictures > 1;
}

/** The words that stand in place of a file, for this reason. */
export function notShown({ type, name }: Pick<MediaBlock, 'type' | 'name'>, why: string): string {
  const what = name === undefined ? `this ${type}` : JSON.stringify(name);
  return `[${what} is not shown to you: ${why}. Do not guess what is in it. If your task needs it, say in your answer that you could not see it.]`;
}

function hasMedia({ content }: Message): boolean {
  return content.some((block) => isMedia(block) || (block.type === 'tool_result' && block.content.some(isMedia)));
}

function isMedia({ type }: { readonly type: string }): boolean {
  return type === 'image' || type === 'document';
}
