import { randomUUID } from 'node:crypto';
import type { ToolCallBlock } from '../client.ts';
import { asNumber, asObject, asString, type Loose } from '../wire/loose-json.ts';
import { finishToolCall } from '../wire/tool-input.ts';

interface Partial {
  readonly index: number | null;
  id: string;
  name: string;
  json: string;
}

/** Collects tool calls from deltas, which every vendor numbers, names and repeats differently. */
export interface ToolCallGatherer {
  /** Returns the call if this delta started it and its name is known. */
  add(delta: Loose): { readonly id: string; readonly name: string } | null;
  readonly size: () => number;
  /** The calls in order; null for the last one if it was cut off. */
  finish(mayBeCut: boolean): { readonly calls: readonly ToolCallBlock[]; readonly cut: readonly string[] };
}

/**
 * A delta belongs to the call with its index, else to the call with its id, else to the newest call. A delta with a name
 * and another id under a used index is a new call (some servers number every call 0). Later ids and names, which may be
 * empty, never overwrite earlier ones. Arguments may look complete too early, so they are parsed at the end.
 */
export function gatherToolCalls(): ToolCallGatherer {
  const calls: Partial[] = [];
  const find = (index: number | null, id: string, name: string): Partial | undefined => {
    if (index !== null) {
      const same = calls.findLast((call) => call.index === index);
      const another = same && id !== '' && name !== '' && same.id !== '' && same.id !== id;
      return another ? undefined : same;
    }
    if (id !== '') return calls.find((call) => call.id === id);
    return name === '' ? calls.at(-1) : undefined;
  };
  return {
    add(delta) {
      const fn = asObject(delta['function']) ?? {};
      const index = asNumber(delta['index']);
      const id = asString(delta['id']) ?? '';
      const name = asString(fn['name']) ?? '';
      let call = find(index, id, name);
      const isNew = !call;
      if (!call) calls.push((call = { index, id: '', name: '', json: '' }));
      const wasNamed = call.name !== '';
      if (call.id === '') call.id = isFree(calls, id) ? id : '';
      if (call.id === '' && (isNew || name !== '')) call.id = `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
      call.name ||= name;
      call.json += argumentsOf(fn);
      return !wasNamed && call.name !== '' ? { id: call.id, name: call.name } : null;
    },
    size: () => calls.length,
    finish(mayBeCut) {
      const cut: string[] = [];
      const finished = calls.flatMap((call, at) => {
        const block = finishToolCall({ ...call, input: {} }, mayBeCut && at === calls.length - 1);
        if (block === null) cut.push(call.name);
        return block ?? [];
      });
      return { calls: finished, cut };
    },
  };
}

function isFree(calls: readonly Partial[], id: string): boolean {
  return id !== '' && !calls.some((call) => call.id === id);
}

/** A text, or the object itself (Ollama). */
function argumentsOf(fn: Loose): string {
  const text = asString(fn['arguments']);
  if (text !== null) return text;
  const object = asObject(fn['arguments']);
  return object ? JSON.stringify(object) : '';
}
