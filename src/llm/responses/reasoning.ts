import type { ThinkingBlock } from '../client.ts';
import { asArray, asObject, asString, type Loose } from '../wire/loose-json.ts';
import type { Author } from '../wire/own-blocks.ts';

/**
 * A reasoning item as a block. Its text is the reasoning of open models, else the summary, for people only. What the
 * model needs back is the item itself: encrypted at OpenAI, plain at servers of open models.
 */
export function reasoningBlock(value: Loose, from: Author): ThinkingBlock {
  const text = join(value['content'], '') || join(value['summary'], '\n\n');
  return { type: 'thinking', text, item: value, ...from };
}

/**
 * The item to send back; null if it cannot be. An encrypted item goes without its id and status, as OpenAI's own clients
 * send it: with an id, the server may look for a stored item, and finds none because nothing is stored. An item with
 * neither encrypted nor plain reasoning has nothing for the model.
 */
export function reasoningToSendBack({ item }: ThinkingBlock): Loose | null {
  if (item === undefined) return null;
  const { id, status: _, ...fields } = item;
  // Fields that may be null in an answer are refused as null in a request.
  const rest: Loose = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
  if (asString(rest['encrypted_content'])) return rest;
  return join(rest['content'], '') === '' ? null : { ...(id !== undefined && { id }), ...rest };
}

function join(parts: unknown, between: string): string {
  return asArray(parts)
    .map((part) => asString(asObject(part)?.['text']) ?? '')
    .join(between);
}
