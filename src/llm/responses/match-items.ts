/** Which item of a stream is which of the final output. */
import type { Loose } from '../wire/loose-json.ts';

/** An item as it grows. The item itself comes whole at its end; until then there are only the pieces. */
export interface Item {
  value: Loose;
  /** Of a call; '' until it is known. */
  callId: string;
  text: string;
  json: string;
  refused: boolean;
  done: boolean;
  /** True once its text was reported, or its call. */
  told: boolean;
}

export function newItem(): Item {
  return { value: {}, callId: '', text: '', json: '', refused: false, done: false, told: false };
}

/**
 * For each item of the final output the one of the stream that it is, or undefined for one that has not been streamed: by its id, by that of its
 * call, else the next of its type. Its number does not say so: servers leave items out of the output, or count from 1. Each is there once.
 */
export function matchItems(streamed: readonly Item[], output: readonly Loose[]): (Item | undefined)[] {
  const matched = new Set<Item>();
  const by = (keyOfItem: (item: Item) => unknown, keyOfValue: (value: Loose) => unknown) => {
    const queues = Map.groupBy(streamed.toReversed(), keyOfItem);
    return (value: Loose): Item | undefined => {
      const key = keyOfValue(value);
      const queue = key === undefined || key === '' ? [] : (queues.get(key) ?? []);
      let next = queue.pop();
      while (next && matched.has(next)) next = queue.pop();
      if (next) matched.add(next);
      return next;
    };
  };
  const found: (Item | undefined)[] = output.map(
    by(
      ({ value }) => value['id'],
      (value) => value['id'],
    ),
  );
  for (const rest of [
    by(
      ({ callId }) => callId,
      (value) => value['call_id'],
    ),
    by(typeOf, (value) => value['type']),
  ]) {
    for (const [n, value] of output.entries()) found[n] ??= rest(value);
  }
  return found;
}

/** Of an item of which only arguments have come, a call. */
function typeOf({ value, json }: Item): unknown {
  return value['type'] ?? (json === '' ? undefined : 'function_call');
}
