/** What a model was sent, as the page shows it. */
import type { SentBlock } from '../../../../client/client.ts';

/** One part of a block. */
export interface SentPart {
  /** Of a call or its result, the tool; otherwise null. */
  readonly tool: string | null;
  /** Null: it is `value`. */
  readonly text: string | null;
  readonly value: unknown;
}

/** Texts as they are, calls and results with their tool, and everything else as a value. */
export function partsOf(content: unknown): readonly SentPart[] {
  return (Array.isArray(content) ? content : [content]).map(partOf);
}

function partOf(part: unknown): SentPart {
  if (typeof part === 'string') return { tool: null, text: part, value: null };
  if (typeof part !== 'object' || part === null) return { tool: null, text: null, value: part };
  const { type, text, name, input, files } = part as Readonly<Record<string, unknown>>;
  const tool = typeof name === 'string' ? name : null;
  const isPlain = typeof text === 'string' && (files === undefined || (Array.isArray(files) && files.length === 0));
  if (isPlain && (type === 'text' || type === 'thinking')) return { tool: null, text, value: null };
  if (isPlain && type === 'tool_result') return { tool, text, value: null };
  if (type === 'tool_call' && tool !== null) return { tool, text: null, value: input };
  return { tool: null, text: null, value: part };
}

/** From which block on the model had not seen them: after its last answer. */
export function newFrom(blocks: readonly Pick<SentBlock, 'kind'>[]): number {
  return blocks.findLastIndex(({ kind }) => kind === 'answer') + 1;
}
