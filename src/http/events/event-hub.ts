/**
 * Follows the work items and conversations that somebody reads: one LISTEN for the process, one read of the tables per change of one,
 * however many readers it has. Items of the same actor share a statement.
 */
import { isAnimusError, messageOf } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import { createWake } from '../../core/lifecycle/wake.ts';
import { createTextChannels } from '../../store/events/live/text-channels.ts';
import { type EventScope, watchEvents } from '../../store/events/read-events.ts';
import { openNotifications } from '../../store/postgres/notifications.ts';
import type { Database } from '../../store/sql/database.ts';
import type { Log } from '../../telemetry/log.ts';
import { createAnswers } from './answers.ts';
import type { Eyes } from './eyes.ts';
import { WatchedItem } from './watched-item.ts';

export interface EventHub extends Service {
  /** Begins to watch for a reader, until `leave`. */
  join(scope: EventScope, eyes: Eyes): WatchedItem;
  leave(item: WatchedItem, eyes: Eyes): void;
  /** Reads the item's news soon. */
  look(item: WatchedItem): void;
  /** Aborted when the hub stops: readers end then. */
  readonly stopping: AbortSignal;
  /** Work items and conversations that are watched now. */
  readonly watched: number;
}

export interface HubServices {
  /** The process's own login; it only listens and asks for notifications. */
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
}

/** Notifications are hints: every item is read again after this time. Half a second where there are none (the embedded database). */
const LOOK_AGAIN_MS = { postgres: 5_000, embedded: 500 } as const;
/** A change that was committed while the watch began may not be notified. */
const FIRST_LOOK_AGAIN_MS = 250;
/** Watches last ten minutes. */
const WATCH_AGAIN_MS = 300_000;
/** After a read, an item rests as long as it took, and no longer than this: reading takes at most half of the time from those who write. */
const MOST_REST_MS = 50;
/** Items in one statement. Few of those that are only read again: what happens meanwhile to others waits for its end. */
const ITEMS_AT_ONCE = { news: 100, again: 20 } as const;
const AFTER_ERROR_MS = 1_000;

const eyeOf = ({ eyes: [first] }: WatchedItem): Eyes | undefined => first;

export function openEventHub({ db, clock, log }: HubServices): EventHub {
  const stopping = new AbortController();
  /** By id; several of a conversation that shows different answers to its readers, who share nothing then. */
  const items = new Map<string, readonly WatchedItem[]>();
  /** By what notifications call them. */
  const idOf = new Map<string, string>();
  /** The items to be read; true: something may have happened, false: they are only read again. */
  const due = new Map<WatchedItem, boolean>();
  /** Until when each rests. */
  const rests = new WeakMap<WatchedItem, number>();
  const wake = createWake(clock);
  let running: Promise<unknown> | null = null;

  const look = (item: WatchedItem, news = true) => {
    // Otherwise readDue waits for the end of its pause already.
    if (!due.has(item)) wake.ring();
    due.set(item, news || due.get(item) === true);
  };
  /** How long it must not be read. */
  const pauseOf = (item: WatchedItem) => (rests.get(item) ?? -Infinity) - clock.monotonicMs();
  const lookAtAll = () => {
    for (const item of [...items.values()].flat()) {
      look(item, false);
      // Quiet items have readers that may not read any more, too.
      item.wake();
    }
  };
  const answers = createAnswers();
  const texts = createTextChannels(
    db,
    (id, piece) => answers.of(id).filter((watched) => watched.piece(id, piece)).length > 0,
    log,
  );
  const notifications = openNotifications(
    db,
    ['animus_events', 'animus_work_done'],
    {
      onNotify(channel, payload) {
        const id = idOf.get(payload);
        if (id === undefined) return texts.take(channel, payload);
        for (const item of items.get(id) ?? []) look(item);
        for (const one of answers.of(id)) look(one);
      },
      onReconnect() {
        texts.reconnected();
        lookAtAll();
      },
    },
    log,
  );

  async function readDue(): Promise<void> {
    while (!stopping.signal.aborted) {
      const ready = [...due.keys()].filter((item) => pauseOf(item) <= 0);
      const news = ready.filter((item) => due.get(item));
      if (news.length > 0) await readSome(news, ITEMS_AT_ONCE.news);
      else if (ready.length > 0) await readSome(ready, ITEMS_AT_ONCE.again);
      else await wake.wait(Math.min(60_000, ...[...due.keys()].map(pauseOf)), stopping.signal);
    }
  }

  /** Reads at most so many of the items: those that the actor of the first may read. */
  async function readSome(ready: readonly WatchedItem[], most: number): Promise<void> {
    const eyes = eyeOf(ready[0]!);
    const batch = ready.filter((item) => eyeOf(item)?.key === eyes?.key).slice(0, most);
    for (const item of batch) due.delete(item);
    const begun = batch.flatMap((item) => (item.position === null ? [] : [{ item, from: item.position }]));
    if (!eyes || begun.length === 0) return;
    const begunMs = clock.monotonicMs();
    try {
      const pages = await eyes.read(begun.map(({ item, from }) => ({ scope: item.scope, from })));
      const endedMs = clock.monotonicMs();
      const restUntilMs = endedMs + Math.min(endedMs - begunMs, MOST_REST_MS);
      for (const [n, page] of pages.entries()) {
        const { item, from } = begun[n]!;
        rests.set(item, restUntilMs);
        // Nobody else moves it, but its readers may all have left and others come.
        if (item.position !== from) continue;
        if (page === null || page.since !== item.scope.since) refuse(item, eyes);
        else {
          item.take(page);
          attend(item, eyes);
        }
        if (!page?.more) continue;
        due.set(item, true);
        rests.delete(item);
      }
    } catch (error) {
      log.debug({ error: messageOf(error) }, 'cannot read the events of work; trying again');
      if (isAnimusError(error, 'db.unreachable')) {
        for (const { item } of begun) due.set(item, true);
        await clock.sleep(AFTER_ERROR_MS, stopping.signal);
      } else for (const { item } of begun) refuse(item, eyes);
    }
  }

  /** Another reader's rights are used next, and every reader finds out whether it may still read. */
  function refuse(item: WatchedItem, eyes: Eyes): void {
    if (item.eyes.delete(eyes)) item.eyes.add(eyes);
    item.recheck();
    void clock.sleep(AFTER_ERROR_MS, stopping.signal).then(() => look(item));
  }

  async function every(ms: number, act: () => Promise<void> | void): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(ms, stopping.signal);
      if (!stopping.signal.aborted) await act();
    }
  }

  /** Listens for the changes and texts of exactly the items that the watched one has now. */
  function attend(watched: WatchedItem, eyes: Eyes): void {
    const { begun, over } = answers.set(
      watched,
      items.get(watched.scope.id)?.includes(watched) ? [...watched.items] : [],
    );
    for (const id of over) texts.leave(id);
    for (const id of begun) {
      const watching = watchAnd(watched, id);
      void texts.join(id, eyes.look, watching).then(() => lookLater(watched));
    }
  }

  async function watchAnd(watched: WatchedItem, id: string): Promise<void> {
    await watch([id]);
    look(watched);
  }

  async function lookLater(watched: WatchedItem): Promise<void> {
    await clock.sleep(FIRST_LOOK_AGAIN_MS, stopping.signal);
    look(watched, false);
  }

  async function watchAll(): Promise<void> {
    const ids = [...items.keys(), ...answers.ids()];
    if (ids.length > 0) await watch(ids);
    for (const [notice, id] of idOf) if (!items.has(id) && answers.of(id).length === 0) idOf.delete(notice);
  }

  /** A notification that arrives before its name is known is made up for by the look that follows. */
  async function watch(ids: readonly string[]): Promise<void> {
    try {
      for (const [notice, id] of await watchEvents(db, ids)) idOf.set(notice, id);
    } catch (error) {
      log.debug({ error: messageOf(error) }, 'cannot watch work');
    }
  }

  return {
    stopping: stopping.signal,
    get watched() {
      return items.size;
    },
    look,
    async start() {
      await notifications.start();
      texts.use(notifications);
      running = Promise.all([readDue(), every(LOOK_AGAIN_MS[db.kind], lookAtAll), every(WATCH_AGAIN_MS, watchAll)]);
    },
    async stop() {
      stopping.abort('stopped');
      for (const item of [...items.values()].flat()) item.wake();
      await running;
      await texts.stop();
      await notifications.stop();
    },
    join(scope, eyes) {
      const others = items.get(scope.id) ?? [];
      let item = others.find(({ scope: { since } }) => since === scope.since);
      if (!item) {
        const joined = (item = new WatchedItem(scope, clock));
        items.set(scope.id, [...others, joined]);
        if (scope.kind === 'work') attend(joined, eyes);
        else void watchAnd(joined, scope.id).then(() => lookLater(joined));
      }
      item.eyes.add(eyes);
      return item;
    },
    leave(item, eyes) {
      item.eyes.delete(eyes);
      if (item.eyes.size > 0) return;
      const rest = items.get(item.scope.id)!.filter((other) => other !== item);
      if (rest.length > 0) items.set(item.scope.id, rest);
      else items.delete(item.scope.id);
      due.delete(item);
      attend(item, eyes);
    },
  };
}
