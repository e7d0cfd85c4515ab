/** The newest events and hints of one item, which all its readers share. A reader that falls behind what is kept reads the tables again. */
import type { Position, Step } from '../../store/events/position.ts';
import type { Frame } from './frame.ts';

export interface RingEntry {
  readonly frame: Frame;
  /** Null for a hint. */
  readonly placed: { readonly step: Step; readonly after: Position } | null;
}

/** What is kept at most. */
const MAX_ENTRIES = 512;
const MAX_CHARS = 1_048_576;

export interface EventRing {
  /** The number of the next entry. */
  readonly head: number;
  /** The number of the oldest entry that is kept. */
  readonly start: number;
  add(entry: RingEntry): void;
  /** The entries from this number on; null if some of them are not kept any more. */
  from(number: number): readonly RingEntry[] | null;
}

export function createEventRing(): EventRing {
  let entries: RingEntry[] = [];
  let start = 0;
  let chars = 0;
  return {
    get head() {
      return start + entries.length;
    },
    get start() {
      return start;
    },
    add(entry) {
      entries.push(entry);
      chars += entry.frame.json.length;
      let drop = 0;
      // The newest entry stays, however large.
      while (entries.length - drop > 1 && (entries.length - drop > MAX_ENTRIES || chars > MAX_CHARS)) {
        chars -= entries[drop++]!.frame.json.length;
      }
      if (drop > 0) entries = entries.slice(drop);
      start += drop;
    },
    from: (number) => (number < start ? null : entries.slice(number - start)),
  };
}
