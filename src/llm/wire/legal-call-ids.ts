import { createHash } from 'node:crypto';
import type { ContentBlock, Message } from '../client.ts';

/**
 * Replaces call ids that this provider would refuse: those with other characters, and duplicates in a conversation.
 * Compatible servers restart the numbers in every answer (`call_0`) or write `functions.bash:3`, and a fallback model
 * would refuse such a history. Legal ids are kept; the others become a hash that is the same on every request. The same
 * holds for names of tools that a model made up.
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
  const legalName = (name: string): string => {
    if (LEGAL_NAME.test(name)) return name;
    changed = true;
    return name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unnamed';
  };
  const map = (block: ContentBlock): ContentBlock => {
    if (block.type === 'tool_call') return { ...block, id: rename(block.id), name: legalName(block.name) };
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

/** What every provider takes, and tools that exist have. */
const LEGAL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;

/** Nine letters and digits, the strictest rule (Mistral). */
function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 9);
}
