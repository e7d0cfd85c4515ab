/** The newest events and hints of one work item or conversation, which all its readers share. A reader that falls behind what is kept reads the tables again. */
import type { AnyPosition, AnyStep } from '../../store/events/places.ts';
import type { Frame } from './frame.ts';

export interface RingEntry {
  readonly frame: Frame;
  /** Null for a hint. */
  readonly placed: { readonly step: AnyStep; readonly after: AnyPosition } | null;
}

/** Entries that follow each other. */
export interface RingPart {
  readonly entries: readonly RingEntry[];
  /** Theirs, always in the same list, so that they are encoded once for all readers. */
  readonly frames: readonly Frame[];
  /** The position after the last recorded event of them; null if all are hints. */
  readonly after: AnyPosition | null;
}

/** What is kept at most. */
const MAX_ENTRIES = 512;
const MAX_CHARS = 1_048_576;

/** A class for speed, as `Wire` explains. */
export class EventRing {
  #entries: RingEntry[] = [];
  #start = 0;
  #chars = 0;
  /** By number: what was asked for since the last entry was added. */
  readonly #parts = new Map<number, RingPart>();

  /** The number of the next entry. */
  get head(): number {
    return this.#start + this.#entries.length;
  }

  add(entry: RingEntry): void {
    this.#parts.clear();
    this.#entries.push(entry);
    this.#chars += entry.frame.json.length;
    let drop = 0;
    const tooMuch = () => this.#entries.length - drop > MAX_ENTRIES || this.#chars > MAX_CHARS;
    // The newest entry stays, however large.
    while (this.#entries.length - drop > 1 && tooMuch()) this.#chars -= this.#entries[drop++]!.frame.json.length;
    if (drop > 0) this.#entries = this.#entries.slice(drop);
    this.#start += drop;
  }

  /** The entries from this number on, until the next one is added always the same part; null if some of them are not kept any more. */
  from(number: number): RingPart | null {
    if (number < this.#start) return null;
    let part = this.#parts.get(number);
    if (!part) this.#parts.set(number, (part = partOf(this.#entries.slice(number - this.#start))));
    return part;
  }
}

function partOf(entries: readonly RingEntry[]): RingPart {
  const after = entries.findLast(({ placed }) => placed !== null)?.placed?.after ?? null;
  return { entries, frames: entries.map(({ frame }) => frame), after };
}
