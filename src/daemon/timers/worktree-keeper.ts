/** Looks after the worktrees of ended work on this host: removes what people discard and what retention allows, and counts the others. */
import type { RetentionConfig } from '../../core/config/sections/daemon.ts';
import { messageOf } from '../../core/errors/errors.ts';
import { createLoop } from '../../core/lifecycle/loop.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import { placeOf } from '../kept/place-of.ts';
import { type Tended, tendWorktrees } from '../kept/tend-worktrees.ts';
import type { ServiceBase } from '../parts/service-base.ts';

interface KeepingDaemon extends ServiceBase {
  /** ANIMUS_HOME, absolute. */
  readonly home: string;
  /** The current setting. */
  readonly retention: () => RetentionConfig;
}

export interface WorktreeKeeper extends Service {
  /** One round; null: there is no worktree on this host. */
  tend(): Promise<Tended | null>;
}

/** Between two rounds: a worktree that a person discards from another host is gone after a minute or so. */
const INTERVAL_MS = 60_000;

/** Any number of daemons may do it at once: each takes the worktrees that no other has taken. */
export function createWorktreeKeeper({ db, clock, log, home, retention }: KeepingDaemon): WorktreeKeeper {
  async function tend(): Promise<Tended | null> {
    const place = placeOf(home);
    if (place === null) return null;
    const tended = await tendWorktrees({ db, log, place, retention: retention() });
    if (Object.values(tended).some((ids) => ids.length > 0)) log.info({ ...tended }, 'removed worktrees of ended work');
    return tended;
  }

  const loop = createLoop(async (stopping) => {
    for (;;) {
      await clock.sleep(INTERVAL_MS * (0.5 + Math.random()), stopping);
      if (stopping.aborted) return;
      try {
        await tend();
      } catch (error) {
        log.warn(
          { error: messageOf(error) },
          'could not look after worktrees of ended work; the next round tries again',
        );
      }
    }
  });

  return { ...loop, tend };
}
