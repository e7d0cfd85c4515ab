/** One reader of what all readers of a work item or a conversation share: its newest events. */
import type { Clock } from '../../core/lifecycle/clock.ts';
import { type AnyPosition, advancePlace, isPastPlace, writePlace } from '../../store/events/places.ts';
import type { RingEntry, RingPart } from './event-ring.ts';
import type { Follower } from './followers.ts';
import { type Frame, type Sink, withId } from './frame.ts';
import type { WatchedItem } from './watched-item.ts';

export interface RingSource {
  readonly clock: Clock;
  readonly until: AbortSignal;
  /** Gets at once what happens while the reader waits; null: all of it is yielded. */
  readonly sink: Sink | null;
  /** Called from time to time; rejects when the reader may no longer read. */
  readonly check: (position: AnyPosition) => Promise<void>;
}

/** A reader whose token was revoked, or who may no longer see it, is stopped within this time. */
const CHECK_MS = 60_000;

/** A class for speed, as `Wire` explains. */
export class RingReader implements Follower {
  readonly #item: WatchedItem;
  readonly #source: RingSource;
  #position: AnyPosition;
  /** Number of the next entry. */
  #next: number;
  /** It may have read more of the tables than the ring had: then it passes over that, and its ids differ from those of others for a while. */
  #ahead = true;
  #checks: number;
  #checkAtMs: number;
  /** Asking the signal, which depends on others, costs more than all the rest of an event. */
  #over: boolean;
  #resume: (() => void) | null = null;

  /** Reads what comes after the position: the ring from a number on. */
  constructor(item: WatchedItem, position: AnyPosition, from: number, source: RingSource) {
    this.#item = item;
    this.#source = source;
    this.#position = position;
    this.#next = from;
    this.#checks = item.checks;
    // Spread, so that not all readers check at the same time.
    this.#checkAtMs = source.clock.monotonicMs() + CHECK_MS * (0.5 + 0.5 * Math.random());
    this.#over = source.until.aborted;
  }

  get position(): AnyPosition {
    return this.#position;
  }

  /** Yields what comes. Returns true at the end, and when the signal aborts; false when it was too slow, and has to read the tables. */
  async *read(): AsyncGenerator<readonly Frame[], boolean> {
    const { clock, until, sink, check } = this.#source;
    const end = () => {
      this.#over = true;
      this.#resume?.();
    };
    // One listener for each reader, not for each wait: a thousand readers wait at every event.
    until.addEventListener('abort', end, { once: true });
    try {
      while (!this.#over) {
        if (this.#mustCheck(clock.monotonicMs())) {
          this.#checks = this.#item.checks;
          this.#checkAtMs = clock.monotonicMs() + CHECK_MS;
          await check(this.#position);
          // Another one may have been asked for meanwhile, which that look cannot answer.
          continue;
        }
        const part = this.#item.ring.from(this.#next);
        if (part === null) return false;
        if (part.entries.length > 0) yield this.#take(part);
        else if (this.#item.over) return true;
        else await this.#change();
        await sink?.drained();
      }
      return true;
    } finally {
      until.removeEventListener('abort', end);
    }
  }

  /** Sends what has come, and waits on, until there is more to do than that. */
  changed(nowMs: number): boolean {
    if (this.#resume === null) return false;
    if (this.#sends(nowMs)) return true;
    this.#resume();
    return false;
  }

  #sends(nowMs: number): boolean {
    const { sink } = this.#source;
    if (sink === null || this.#over || this.#mustCheck(nowMs)) return false;
    const part = this.#item.ring.from(this.#next);
    // What ended has nothing that could wake this reader.
    return part !== null && (part.entries.length === 0 || sink.send(this.#take(part))) && !this.#item.over;
  }

  #mustCheck(nowMs: number): boolean {
    return this.#checks !== this.#item.checks || nowMs > this.#checkAtMs;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = () => {
        this.#resume = null;
        resolve();
      };
      this.#item.follow(this);
    });
  }

  #take({ entries, frames, after }: RingPart): readonly Frame[] {
    this.#next += entries.length;
    // Hints have no ids, so they are the same for all.
    if (this.#ahead && after !== null) {
      const own = entries.flatMap((entry) => this.#passOver(entry));
      const isSame = own.length === frames.length && own.every((frame, n) => frame === frames[n]);
      return isSame ? frames : own;
    }
    this.#position = after ?? this.#position;
    return frames;
  }

  /** The frame of an entry that it has not read yet, with the id that it has for this reader. */
  #passOver({ frame, placed }: RingEntry): readonly Frame[] {
    if (placed === null) return [frame];
    if (!this.#ahead) {
      this.#position = placed.after;
      return [frame];
    }
    const past = isPastPlace(this.#position, placed.step);
    if (!past) this.#position = advancePlace(this.#position, placed.step);
    const own = writePlace(this.#item.scope, this.#position);
    if (own === frame.id) this.#ahead = false;
    return past ? [] : [own === frame.id ? frame : withId(frame, own)];
  }
}
