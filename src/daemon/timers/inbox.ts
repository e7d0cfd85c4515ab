/** Drains the inbox: turns messages of any pgmq producer into work items soon after they were sent. */

import { messageOf } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import { createWake } from '../../core/lifecycle/wake.ts';
import type { Database } from '../../store/sql/database.ts';
import { drainInbox } from '../../store/work/inbox.ts';
import type { Log } from '../../telemetry/log.ts';

export interface InboxKeeper {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** How often to poll without a notification. */
  readonly pollSeconds: number;
}

export interface Inbox extends Service {
  /** Drains now, because a message was sent. */
  ring(): void;
}

/** Messages per transaction: the dedup keys of their items are locked until it ends. */
const BATCH = 100;
/** A postponed message may be read again after a second; this is a little later. */
const POSTPONED_MS = 1100;

/** A drainer; many daemons may drain one inbox at once. */
export function createInbox(keeper: InboxKeeper): Inbox {
  const { clock, log } = keeper;
  const wake = createWake(clock);
  const stopping = new AbortController();
  let loop: Promise<void> | null = null;
  let troubled = false;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) await wake.wait(await drain(), stopping.signal);
  }

  /** Drains the inbox; returns how long to wait for the next notification. */
  async function drain(): Promise<number> {
    try {
      let postponed = 0;
      for (let full = true; full && !stopping.signal.aborted; ) {
        const drained = await drainInbox(keeper.db, BATCH);
        full = drained.accepted + drained.refused + drained.postponed >= BATCH;
        postponed += drained.postponed;
        if (drained.refused > 0) {
          log.warn(
            { refused: drained.refused },
            'messages of the inbox could not be read: they are in the queue animus_inbox_dead',
          );
        }
      }
      troubled = false;
      const pollMs = keeper.pollSeconds * 1000;
      return postponed > 0 ? Math.min(POSTPONED_MS, pollMs) : pollMs;
    } catch (error) {
      if (!troubled) log.error({ error: messageOf(error) }, 'cannot drain the inbox; trying again');
      troubled = true;
      return 500 + 1000 * Math.random();
    }
  }

  return {
    ring: () => wake.ring(),
    async start() {
      loop = run();
    },
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}
