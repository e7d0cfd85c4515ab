import type { ContentBlock, LlmEvent } from '../client.ts';
import type { AnswerLimits } from '../wire/answer-limits.ts';
import { callIds } from '../wire/call-ids.ts';
import { asArray, asNumber, asObject, asString, type Loose } from '../wire/loose-json.ts';
import type { Author } from '../wire/own-blocks.ts';
import { finishToolCall } from '../wire/tool-input.ts';
import { type Item, matchItems, newItem } from './match-items.ts';
import { reasoningBlock } from './reasoning.ts';

/** Collects the items of an answer (`output`) in their order, and reports progress. */
export function gatherItems(from: Author, limits: AnswerLimits, emit: (event: LlmEvent) => void) {
  const items = new Map<number, Item>();
  const idOf = callIds();

  const at = (index: number): Item => {
    const known = items.get(index);
    if (known) return known;
    const item = newItem();
    items.set(index, item);
    limits.part();
    return item;
  };

  /** Some servers leave out the index: then the id says which item it is, and without one, an item that is added is a new one. */
  const indexOf = (event: Loose, change: Change): number => {
    const index = asNumber(event['output_index']);
    if (index !== null) return index;
    const id = asString(event['item_id']) ?? asString(asObject(event['item'])?.['id']) ?? '';
    const [known] = [...items].find(([, { value }]) => id !== '' && value['id'] === id) ?? [];
    const last = Math.max(-1, ...items.keys());
    if (known !== undefined) return known;
    return change === 'added' ? last + 1 : Math.max(0, last);
  };

  const addText = (item: Item, kind: 'text' | 'thinking', text: string): void => {
    if (text === '') return;
    // Deltas without the item they belong to say what it is.
    if (item.value['type'] === undefined) item.value = { type: kind === 'text' ? 'message' : 'reasoning' };
    limits.keep(text.length);
    item.text += text;
    item.told = true;
    emit({ type: kind, text });
  };

  /** Reports what no delta has reported. */
  const tell = (item: Item): void => {
    if (item.told) return;
    const { value } = item;
    if (value['type'] === 'function_call') {
      const name = asString(value['name']) ?? '';
      if (name === '' || item.callId === '') return;
      item.told = true;
      emit({ type: 'tool_call', id: item.callId, name });
    } else if (item.done && value['type'] === 'message') addText(item, 'text', textOf(value));
    else if (item.done && value['type'] === 'reasoning') addText(item, 'thinking', reasoningBlock(value, from).text);
  };

  /** Results name `call_id`; `id` is that of the item. */
  const nameCall = (item: Item, now: boolean): void => {
    if (item.callId !== '' || item.value['type'] !== 'function_call') return;
    const given = asString(item.value['call_id']) ?? '';
    if (!now && given === '') return;
    item.callId = idOf(given);
    limits.call();
  };

  const take = (item: Item, value: unknown, done: boolean): void => {
    item.value = asObject(value) ?? {};
    item.done = done;
    nameCall(item, done);
    tell(item);
  };

  const apply = (change: Change, item: Item, event: Loose, size: number): void => {
    const delta = asString(event['delta']) ?? '';
    switch (change) {
      case 'text':
      case 'thinking':
        return addText(item, change, delta);
      case 'refusal':
        item.refused = true;
        return addText(item, 'text', delta);
      case 'summary part':
        return item.text === '' ? undefined : addText(item, 'thinking', '\n\n');
      case 'arguments':
        limits.keep(delta.length);
        item.json += delta;
        return;
      case 'added':
      case 'done':
        limits.keep(size);
        return take(item, event['item'], change === 'done');
      default:
        return change satisfies never;
    }
  };

  return {
    /** An event about an item, `size` characters long; false for any other. */
    add(type: string, event: Loose, size: number): boolean {
      const change = changeOf(type);
      if (change === null) return false;
      apply(change, at(indexOf(event, change)), event, size);
      return true;
    },
    /** The items of a complete response. They replace the collected ones; some servers leave them out. */
    replace(output: readonly unknown[]): void {
      if (output.length === 0) return;
      // Not the pieces: only which ids they have and what was reported. Some servers number the items of the stream otherwise.
      const matched = matchItems(
        [...items].toSorted(([a], [b]) => a - b).map(([, item]) => item),
        output.map((value) => asObject(value) ?? {}),
      );
      items.clear();
      for (const [index, item] of matched.entries()) {
        if (item) items.set(index, item);
        take(at(index), output[index], true);
      }
    },
    refused: () => [...items.values()].some((item) => item.refused || saysRefusal(item.value)),
    hasCalls: () => [...items.values()].some(({ value }) => value['type'] === 'function_call'),
    /** The blocks in order, and the names of calls that were cut off. `mayBeCut`: the answer stopped early. */
    finish(mayBeCut: boolean): { readonly content: readonly ContentBlock[]; readonly cut: readonly string[] } {
      const ordered = [...items].toSorted(([a], [b]) => a - b).map(([, item]) => item);
      const cut: string[] = [];
      const content = ordered.flatMap((item, index) => {
        const isCut = mayBeCut && (index === ordered.length - 1 || item.value['status'] === 'incomplete');
        nameCall(item, true);
        const block = blockOf(item, isCut, from);
        if (block === null && item.value['type'] === 'function_call') cut.push(asString(item.value['name']) ?? '');
        return block ?? [];
      });
      return { content, cut };
    },
  };
}

type Change = 'added' | 'done' | 'text' | 'refusal' | 'thinking' | 'summary part' | 'arguments';

/** What an event changes in its item, the most frequent first: a table would hash the type of each event. */
function changeOf(type: string): Change | null {
  switch (type) {
    case 'response.output_text.delta':
      return 'text';
    case 'response.function_call_arguments.delta':
      return 'arguments';
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      return 'thinking';
    case 'response.refusal.delta':
      return 'refusal';
    case 'response.reasoning_summary_part.added':
      return 'summary part';
    case 'response.output_item.added':
      return 'added';
    case 'response.output_item.done':
      return 'done';
    default:
      return null;
  }
}

function blockOf(item: Item, isCut: boolean, from: Author): ContentBlock | null {
  const { value, done } = item;
  switch (value['type']) {
    case 'message': {
      const text = done ? textOf(value) : item.text;
      const phase = asString(value['phase']);
      return text === '' ? null : { type: 'text', text, ...(phase !== null && { phase }) };
    }
    case 'function_call': {
      const json = done ? (asString(value['arguments']) ?? '') : item.json;
      return finishToolCall({ id: item.callId, name: asString(value['name']) ?? '', json, input: {} }, isCut);
    }
    case 'reasoning':
      return done ? reasoningBlock(value, from) : { type: 'thinking', text: item.text, ...from };
    case undefined:
      return null;
    default:
      return { type: 'opaque', value, ...from };
  }
}

function textOf(message: Loose): string {
  return asArray(message['content'])
    .map((part) => asString(asObject(part)?.['text']) ?? asString(asObject(part)?.['refusal']) ?? '')
    .join('');
}

function saysRefusal(value: Loose): boolean {
  return asArray(value['content']).some((part) => asObject(part)?.['type'] === 'refusal');
}
