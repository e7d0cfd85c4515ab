/** Follows one work item: what is recorded of it, exactly once and in order, and between it the hints, as every reader gets them. */
import { systemClock } from '../../core/lifecycle/clock.ts';
import { createWake, type Wake } from '../../core/lifecycle/wake.ts';
import { isTerminal, type WorkState } from '../../core/work/work.ts';
import type { FeedEntry } from '../../store/events/live/feed.ts';
import type { LivePiece } from '../../store/events/live/live-pieces.ts';
import { type AnyPosition, beginningOf, readPlaces } from '../../store/events/places.ts';
import { type EventScope, notThere } from '../../store/events/read-events.ts';
import type { Database } from '../../store/sql/database.ts';
import { type News, openNews } from './news.ts';
import { createOrderedFeed } from './ordered-feed.ts';

/** What was read of an item. It outlives a lost connection, so that reading goes on where it was. */
export interface FollowedItem {
  readonly workItemId: string;
  /** Takes a piece of an answer, or of what code prints. Returns whether something before it is missing. */
  piece(piece: LivePiece): boolean;
  /** Reads on until the item has ended (its state) or the signal aborts (null). Errors: `work.not_found`, `db.*`. */
  follow(db: Database, waking: Waking): Promise<WorkState | null>;
}

export interface Waking {
  readonly news: News;
  readonly wake: Wake;
  readonly signal: AbortSignal;
}

export interface ItemHandlers {
  /** Gets each recorded event once, and the hints. */
  take(entry: FeedEntry): void;
  /** Called whenever everything that is recorded was taken, and at least twice a second. */
  present?(state: WorkState, db: Database): Promise<void> | void;
}

/** Most changes are notified; the rest is polled. */
const LOOK_EVERY_MS = 500;
const WATCH_AGAIN_MS = 300_000;

/** Follows an item by a listener of its own. Returns and throws as `FollowedItem.follow`. */
export async function followItem(
  db: Database,
  id: string,
  { signal, ...handlers }: ItemHandlers & { readonly signal: AbortSignal },
): Promise<WorkState | null> {
  const wake = createWake(systemClock);
  const ring = () => wake.ring();
  const item = createFollowedItem(id, handlers);
  const news = openNews(db, { onConversation: ring, onItem: ring, onPiece: item.piece });
  await news.start();
  try {
    return await item.follow(db, { news, wake, signal });
  } finally {
    await news.stop();
  }
}

export function createFollowedItem(workItemId: string, { take, present }: ItemHandlers): FollowedItem {
  const scope: EventScope = { kind: 'work', id: workItemId };
  const feed = createOrderedFeed(workItemId);
  let position: AnyPosition = beginningOf(scope);
  let wake: Wake | null = null;
  const takeAll = (entries: readonly FeedEntry[]) => {
    for (const entry of entries) take(entry);
  };

  async function readAll(db: Database): Promise<WorkState> {
    const { held } = feed;
    for (;;) {
      const [page] = await readPlaces(db, [{ scope, from: position }]);
      if (!page) throw notThere(scope);
      takeAll(feed.take(page));
      position = page.position;
      if (page.more) continue;
      takeAll(feed.release(held));
      return page.items[0]!.state;
    }
  }

  return {
    workItemId,
    piece(piece) {
      takeAll(feed.piece(piece));
      if (feed.held > 0) wake?.ring();
      return feed.gap;
    },
    async follow(db, { news, wake: woken, signal }) {
      wake = woken;
      let watchAtMs = 0;
      while (!signal.aborted) {
        if (systemClock.monotonicMs() >= watchAtMs) {
          await news.watchItem(workItemId);
          watchAtMs = systemClock.monotonicMs() + WATCH_AGAIN_MS;
        }
        const state = await readAll(db);
        if (isTerminal(state)) return state;
        await present?.(state, db);
        await wake.wait(LOOK_EVERY_MS, signal);
      }
      return null;
    },
  };
}
