import type { ToolCallBlock } from '../client.ts';
import type { AnswerLimits } from '../wire/answer-limits.ts';
import { callIds } from '../wire/call-ids.ts';
import { asNumber, asObject, asString, type Loose } from '../wire/loose-json.ts';
import type { Author } from '../wire/own-blocks.ts';
import { finishToolCall } from '../wire/tool-input.ts';

interface Partial {
  /** As the provider wrote it; '' if it wrote none. */
  readonly given: string;
  readonly id: string;
  name: string;
  json: string;
  /** The vendor's own field, which has to go back with the call. */
  extra: Loose | null;
}

/**
 * Collects tool calls from deltas, which every vendor numbers, names and repeats differently. A delta belongs to the
 * call with its index, else to the call with its id, else to the newest call. A delta with a name and another id under a
 * used index is a new call (some servers number every call 0). Later ids and names, which may be empty, never overwrite
 * earlier ones. Arguments may look complete too early, so they are parsed at the end.
 */
export function gatherToolCalls(from: Author, limits: AnswerLimits) {
  const calls: Partial[] = [];
  const idOf = callIds();
  // The newest call of each index, the first of each id: searching the list for every delta took a second for 10,000 calls.
  const byIndex = new Map<number, Partial>();
  const byId = new Map<string, Partial>();
  const find = (index: number | null, id: string, name: string): Partial | undefined => {
    if (index !== null) {
      const same = byIndex.get(index);
      const isAnother = same && id !== '' && name !== '' && same.given !== id;
      return isAnother ? undefined : same;
    }
    if (id !== '') return byId.get(id);
    return name === '' ? calls.at(-1) : undefined;
  };
  const begin = (index: number | null, given: string): Partial => {
    const call: Partial = { given, id: idOf(given), name: '', json: '', extra: null };
    calls.push(call);
    limits.call();
    if (index !== null) byIndex.set(index, call);
    if (given !== '' && !byId.has(given)) byId.set(given, call);
    return call;
  };
  return {
    /** Returns the call if this delta started it and its name is known. */
    add(delta: Loose): { readonly id: string; readonly name: string } | null {
      const fn = asObject(delta['function']) ?? {};
      const index = asNumber(delta['index']);
      const id = asString(delta['id']) ?? '';
      const name = asString(fn['name']) ?? '';
      const call = find(index, id, name) ?? begin(index, id);
      const wasNamed = call.name !== '';
      call.name ||= name;
      call.extra ??= asObject(delta['extra_content']);
      const json = argumentsOf(fn);
      limits.keep(json.length);
      call.json += json;
      return !wasNamed && call.name !== '' ? { id: call.id, name: call.name } : null;
    },
    size: () => calls.length,
    /** The calls in order, without the last one if it was cut off: its name is in `cut`. */
    finish(mayBeCut: boolean): { readonly calls: readonly ToolCallBlock[]; readonly cut: readonly string[] } {
      const cut: string[] = [];
      const finished = calls.flatMap((call, at) => {
        const block = finishToolCall({ ...call, input: {} }, mayBeCut && at === calls.length - 1);
        if (block === null) cut.push(call.name);
        if (block === null) return [];
        return call.extra ? { ...block, extra: { fields: { extra_content: call.extra }, ...from } } : block;
      });
      return { calls: finished, cut };
    },
  };
}

/** A text, or the object itself (Ollama). */
function argumentsOf(fn: Loose): string {
  const text = asString(fn['arguments']);
  if (text !== null) return text;
  const object = asObject(fn['arguments']);
  return object ? JSON.stringify(object) : '';
}
