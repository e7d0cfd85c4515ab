import type { ThinkingBlock } from '../client.ts';
import { asArray, asObject, asString, type Loose } from '../wire/loose-json.ts';
import type { Author } from '../wire/own-blocks.ts';

/**
 * Collects reasoning from the message fields in which vendors send it. `reasoning_content` (DeepSeek, xAI, Alibaba,
 * Moonshot …), `reasoning` (Groq, OpenRouter, Ollama, Cerebras …) and `reasoning_details` (OpenRouter) may come together
 * with the same content: only the first is read. What a vendor needs back is kept under the same name:
 * `reasoning_content` and `reasoning_details`, never `reasoning`.
 */
export function gatherReasoning() {
  let text = '';
  let content: string | null = null;
  const details: Record<string, unknown>[] = [];
  return {
    /** Adds a delta (or message) and returns its new text. */
    add(delta: Loose): string {
      const ofContent = asString(delta['reasoning_content']);
      if (ofContent !== null) content = (content ?? '') + ofContent;
      const ofDetails = addDetails(details, asArray(delta['reasoning_details']));
      const added = ofContent || asString(delta['reasoning']) || ofDetails || ofParts(delta['content']);
      text += added;
      return added;
    },
    /** The block, or null without reasoning. */
    finish(from: Author): ThinkingBlock | null {
      if (text === '' && details.length === 0) return null;
      const fields = {
        ...(content !== null && { reasoning_content: content }),
        ...(details.length > 0 && { reasoning_details: details }),
      };
      return { type: 'thinking', text, ...(Object.keys(fields).length > 0 && { fields }), ...from };
    },
  };
}

/** Adds the details of a delta; returns their text. */
function addDetails(details: Record<string, unknown>[], delta: readonly unknown[]): string {
  let text = '';
  for (const each of delta) {
    const detail = asObject(each);
    if (!detail) continue;
    addDetail(details, detail);
    text += textOf(detail);
  }
  return text;
}

/** Streamed details are pieces: text and summaries of the same index are joined, later fields (a signature) added. */
function addDetail(details: Record<string, unknown>[], detail: Loose): void {
  const last = details.at(-1);
  const joins = last && last['type'] === detail['type'] && last['index'] === detail['index'];
  if (!joins || detail['type'] === 'reasoning.encrypted') {
    details.push({ ...detail });
    return;
  }
  for (const [key, value] of Object.entries(detail)) {
    if ((key === 'text' || key === 'summary') && typeof last[key] === 'string') last[key] += asString(value) ?? '';
    else if (value !== null) last[key] = value;
  }
}

/** Mistral sends reasoning as parts of the content. */
function ofParts(content: unknown): string {
  if (!Array.isArray(content)) return '';
  const thoughts = content.flatMap((part: unknown) => {
    const { type, thinking } = asObject(part) ?? {};
    return type === 'thinking' ? asArray(thinking) : [];
  });
  return thoughts.map((thought) => asString(asObject(thought)?.['text']) ?? '').join('');
}

function textOf(detail: Loose): string {
  return asString(detail['text']) ?? asString(detail['summary']) ?? '';
}
