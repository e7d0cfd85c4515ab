import { createHash } from 'node:crypto';
import type { ContentBlock, Message } from '../client.ts';

/**
 * Replaces call ids that this provider would refuse: those with other characters, and duplicates in a conversation.
 * Compatible servers restart the numbers in every answer (`call_0`) or write `functions.bash:3`, and a fallback model
 * would refuse such a history. Legal ids are kept; the others become a hash that is the same on every request.
 */
export function withLegalCallIds(messages: readonly Message[], legal: RegExp): readonly Message[] {
  const used = new Set<string>();
  let current = new Map<string, string>();
  let changed = false;
  const rename = (id: string): string => {
    const fits = legal.test(id) && !used.has(id);
    let name = fits ? id : hash(`${id}\0${used.size}`);
    while (used.has(name)) name = hash(`${name}\0`);
    changed ||= !fits;
    used.add(name);
    current.set(id, name);
    return name;
  };
  const map = (block: ContentBlock): ContentBlock => {
    if (block.type === 'tool_call') return { ...block, id: rename(block.id) };
    if (block.type === 'tool_result') return { ...block, callId: current.get(block.callId) ?? block.callId };
    return block;
  };
  const mapped = messages.map((message) => {
    if (message.role === 'assistant' && message.content.some((block) => block.type === 'tool_call'))
      current = new Map();
    return { ...message, content: message.content.map(map) };
  });
  return changed ? mapped : messages;
}

/** Nine letters and digits, the strictest rule (Mistral). */
function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 9);
}
