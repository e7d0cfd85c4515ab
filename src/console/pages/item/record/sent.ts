/** What a model was sent, as the page shows it. */
import type { SentBlock } from '../../../../client/client.ts';

/** Texts as they are; everything else as a value. */
export function partsOf(content: unknown): readonly unknown[] {
  const parts = Array.isArray(content) ? content : [content];
  return parts.map((part: unknown) => {
    if (typeof part !== 'object' || part === null) return part;
    const { type, text } = part as Readonly<Record<string, unknown>>;
    return (type === 'text' || type === 'thinking') && typeof text === 'string' ? text : part;
  });
}

/** From which block on the model had not seen them: after its last answer. */
export function newFrom(blocks: readonly Pick<SentBlock, 'kind'>[]): number {
  return blocks.findLastIndex(({ kind }) => kind === 'answer') + 1;
}
