/** Drains the inbox: turns messages of any pgmq producer into work items soon after they were sent. */

import { messageOf } from '../../core/errors/errors.ts';
import { createLoop } from '../../core/lifecycle/loop.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import { createWake } from '../../core/lifecycle/wake.ts';
import { drainInbox } from '../../store/work/inbox.ts';
import type { ServiceBase } from '../parts/service-base.ts';

interface InboxKeeper extends ServiceBase {
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
  const loop = createLoop(async (stopping) => {
    while (!stopping.aborted) await wake.wait(await drain(stopping), stopping);
  });
  let troubled = false;

  /** Drains the inbox; returns how long to wait for the next notification. */
  async function drain(stopping: AbortSignal): Promise<number> {
    try {
      let postponed = 0;
      for (let full = true; full && !stopping.aborted; ) {
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

  return { ...loop, ring: () => wake.ring() };
}
