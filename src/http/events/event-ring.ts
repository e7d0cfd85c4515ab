/** The newest events and hints of one work item or conversation, which all its readers share. A reader that falls behind what is kept reads the tables again. */
import type { AnyPosition, AnyStep } from '../../store/events/places.ts';
import type { Frame } from './frame.ts';

export interface RingEntry {
  readonly frame: Frame;
  /** Null for a hint. */
  readonly placed: { readonly step: AnyStep; readonly after: AnyPosition } | null;
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
  /** The entries from this number on, until the next one is added always the same list; null if some of them are not kept any more. */
  from(number: number): readonly RingEntry[] | null;
}

const FRAMES = new WeakMap<readonly RingEntry[], readonly Frame[]>();

/** The frames of entries. The same list of entries always has the same list of frames, so that they are encoded once for all readers. */
export function framesOf(entries: readonly RingEntry[]): readonly Frame[] {
  const known = FRAMES.get(entries);
  if (known) return known;
  const frames = entries.map(({ frame }) => frame);
  FRAMES.set(entries, frames);
  return frames;
}

export function createEventRing(): EventRing {
  let entries: RingEntry[] = [];
  let start = 0;
  let chars = 0;
  const asked = new Map<number, readonly RingEntry[]>();
  return {
    get head() {
      return start + entries.length;
    },
    get start() {
      return start;
    },
    add(entry) {
      asked.clear();
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
    from(number) {
      if (number < start) return null;
      let found = asked.get(number);
      if (!found) asked.set(number, (found = entries.slice(number - start)));
      return found;
    },
  };
}
