/** What all streams of events of a process share; it listens to the database from the first reader on. */
import { AnimusError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import type { Database } from '../../store/sql/database.ts';
import type { Log } from '../../telemetry/log.ts';
import type { EventServices } from './answer-events.ts';
import { openEventHub } from './event-hub.ts';
import { createStateFeeds, type StateFeeds } from './state-feed.ts';

export interface LiveEvents {
  /** Rejects with `db.unreachable` when it cannot listen; the next call tries again. After `stop`: `http.starting`. */
  services(): Promise<EventServices & { readonly states: StateFeeds }>;
  /** Ends all streams. */
  stop(): Promise<void>;
}

export function openLiveEvents(db: Database, clock: Clock, log: Log): LiveEvents {
  const hub = openEventHub({ db, clock, log });
  const states = createStateFeeds(clock, hub.stopping);
  let starting: Promise<void> | null = null;
  return {
    async services() {
      // Nobody would stop the connection that this would open.
      if (hub.stopping.aborted) throw new AnimusError('http.starting');
      starting ??= hub.start();
      await starting.catch((error: unknown) => {
        starting = null;
        throw error;
      });
      return { hub, states, clock, log };
    },
    async stop() {
      await starting?.catch(() => undefined);
      await hub.stop();
      await states.stopped();
    },
  };
}
