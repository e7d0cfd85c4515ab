/** Follows one item from its first event to its end: the only reader of events, used by every view. */
import { systemClock } from '../../core/lifecycle/clock.ts';
import type { Wake } from '../../core/lifecycle/wake.ts';
import { isTerminal, type WorkState } from '../../core/work/work.ts';
import type { Database } from '../../store/sql/database.ts';
import { listenToTexts } from '../../store/transcript/live-text.ts';
import { readProgress, watchWork } from '../../store/transcript/progress.ts';
import { createTextFollower } from './live-text.ts';
import { createOutputFollower } from './output-follower.ts';
import { createReplay, type TimedEvent } from './replay.ts';

/** Ledger entries, texts and the end are notified; everything else, and the embedded database, is polled. */
const LOOK_EVERY_MS = 500;
/** Notifications are requested for an hour at a time. */
const WATCH_AGAIN_MS = 1_800_000;

/** How following ended; `stopped`: the signal aborted. */
export type Followed =
  | { readonly kind: 'ended'; readonly state: WorkState }
  | { readonly kind: 'merged'; readonly into: string }
  | { readonly kind: 'stopped' };

export interface FollowOptions {
  /** Woken by notifications about the item; polls every 500 ms without any. */
  readonly wake: Wake;
  readonly signal: AbortSignal;
  /** Called once, before the first event. */
  readonly onStart: (faculty: string) => void;
  /** Called for each recorded fact exactly once, in order of time, and for pieces of an answer as they arrive. */
  readonly onEvent: (event: TimedEvent) => void;
  /** Awaited after each look at an item that has not ended. */
  readonly onLook?: () => Promise<void>;
}

/** Follows the item until it has ended. Errors: `work.not_found`, `db.unreachable`. */
export async function followWork(db: Database, id: string, options: FollowOptions): Promise<Followed> {
  const { wake, signal } = options;
  const replay = createReplay();
  const answers = createTextFollower();
  const printed = createOutputFollower();
  let started = false;
  const texts = await listenToTexts(db, id, (piece) => {
    const events = 'output' in piece ? printed.piece(piece) : answers.piece(piece);
    if (started) for (const event of events) options.onEvent({ ...event, atMs: systemClock.nowMs() });
    // It may belong to a turn that has just begun, so poll.
    if (events.length === 0) wake.ring();
  });
  try {
    let watchedAtMs = systemClock.monotonicMs();
    while (!signal.aborted) {
      if (systemClock.monotonicMs() - watchedAtMs > WATCH_AGAIN_MS) {
        watchedAtMs = systemClock.monotonicMs();
        await watchWork(db, id);
      }
      const progress = await readProgress(db, id, replay.cursor);
      if (!started) options.onStart(progress.faculty);
      started = true;
      for (const event of replay.take(progress)) {
        for (const one of answers.event(event)) {
          options.onEvent({ ...one, atMs: event.atMs });
          for (const piece of printed.after(one)) options.onEvent({ ...piece, atMs: event.atMs });
        }
      }
      if (progress.mergedInto !== null) return { kind: 'merged', into: progress.mergedInto };
      if (isTerminal(progress.state)) return { kind: 'ended', state: progress.state };
      await options.onLook?.();
      await wake.wait(LOOK_EVERY_MS, signal);
    }
    return { kind: 'stopped' };
  } finally {
    await texts.stop();
  }
}
