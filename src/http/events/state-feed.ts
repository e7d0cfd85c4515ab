/**
 * The states of all work that a reader may see: a snapshot, then changes. Read once a second while somebody reads, once for all readers with
 * the same rights. It is not exact, and nothing of it has an id: a state that lasts less than a second may be left out.
 */
import { isAnimusError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import type { Waiting } from '../../core/work/waiting.ts';
import { shownWaiting } from '../../core/work/waiting.ts';
import { isTerminal } from '../../core/work/work.ts';
import { readStates, type StateOfWork } from '../../store/events/read-states.ts';
import { withWaiting } from '../../store/views/waiting.ts';
import { EventRing, type RingPart } from './event-ring.ts';
import type { Eyes } from './eyes.ts';
import { type Frame, hintFrame } from './frame.ts';

const EVERY_MS = 1_000;
/** How far back ends are looked for: an end that was committed late has an earlier time. */
const LATE_MS = 10_000;

/** With why it does not go on, as its readers may see it. */
type WorkNow = StateOfWork & { readonly waiting: Waiting | null };

/** The feed of readers with the same rights. */
interface Feed {
  readonly ring: EventRing;
  readers: number;
  states: ReadonlyMap<string, WorkNow> | null;
  error: unknown;
  /** Those who wait for the next look. */
  waiting: Set<() => void>;
}

export interface StateFeeds {
  /**
   * Yields a snapshot and then the changes, until the signal aborts. A reader that is too slow gets another snapshot, which says `missed`. Errors:
   * those of `eyes`.
   */
  follow(eyes: Eyes, signal: AbortSignal): AsyncGenerator<readonly Frame[]>;
  /** Resolves when nothing is being read; `stopping` must be aborted. */
  stopped(): Promise<void>;
}

export function createStateFeeds(clock: Clock, stopping: AbortSignal): StateFeeds {
  const running = new Set<Promise<void>>();
  const feeds = new Map<string, Feed>();

  function feedOf(eyes: Eyes): Feed {
    const known = feeds.get(eyes.key);
    if (known) return known;
    const feed: Feed = { ring: new EventRing(), readers: 0, states: null, error: null, waiting: new Set() };
    feeds.set(eyes.key, feed);
    const keeping = keep(feed, eyes);
    running.add(keeping);
    void keeping.finally(() => running.delete(keeping));
    return feed;
  }

  /** Reads the states as long as somebody wants them. Never rejects. */
  async function keep(feed: Feed, eyes: Eyes): Promise<void> {
    do {
      try {
        const since = new Date(clock.nowMs() - LATE_MS);
        update(feed, await eyes.look(async (tx) => withWaiting(tx, await readStates(tx, since))));
      } catch (error) {
        // An outage says nothing about rights: the next look may work.
        if (!isAnimusError(error, 'db.unreachable')) feed.error = error;
      }
      const woken = feed.waiting;
      feed.waiting = new Set();
      for (const resume of woken) resume();
      if (feed.error === null) await clock.sleep(EVERY_MS, stopping);
    } while (feed.readers > 0 && feed.error === null && !stopping.aborted);
    if (feeds.get(eyes.key) === feed) feeds.delete(eyes.key);
  }

  return {
    async stopped() {
      await Promise.all(running);
    },
    async *follow(eyes, signal) {
      const feed = feedOf(eyes);
      let resume = null as (() => void) | null;
      // One listener for each reader, not for each wait. `Promise.race` with a promise that stays open would leak at each wait.
      const leave = () => resume?.();
      signal.addEventListener('abort', leave, { once: true });
      feed.readers++;
      try {
        let next: number | null = null;
        let missed = false;
        while (!signal.aborted) {
          if (feed.error !== null) throw feed.error;
          const part: RingPart | null = next === null ? null : feed.ring.from(next);
          if (part === null) {
            if (feed.states !== null) {
              next = feed.ring.head;
              yield [hintFrame('snapshot', { missed, items: [...feed.states.values()].map(fieldsOf) })];
              missed = true;
              continue;
            }
          } else if (part.entries.length > 0) {
            next = next! + part.entries.length;
            yield part.frames;
            continue;
          }
          await new Promise<void>((resolve) => feed.waiting.add((resume = resolve)));
        }
      } finally {
        signal.removeEventListener('abort', leave);
        if (resume !== null) feed.waiting.delete(resume);
        feed.readers--;
      }
    },
  };
}

function update(feed: Feed, states: readonly WorkNow[]): void {
  const before = feed.states;
  feed.states = new Map(states.map((one) => [one.id, one]));
  if (before === null) return;
  for (const one of states) {
    const last = before.get(one.id);
    if (last?.state === one.state && last.waiting?.reason === one.waiting?.reason) continue;
    const type = isTerminal(one.state) ? 'done' : 'state';
    feed.ring.add({ frame: hintFrame(type, fieldsOf(one)), placed: null });
  }
}

function fieldsOf(one: WorkNow): object {
  return {
    work_item_id: one.id,
    faculty: one.faculty,
    state: one.state,
    description: one.description,
    parent_id: one.parentId,
    merged_into: one.mergedInto,
    created_at: one.createdAt.toISOString(),
    resolved_at: one.resolvedAt?.toISOString() ?? null,
    waiting: one.waiting && shownWaiting(one.waiting),
  };
}
