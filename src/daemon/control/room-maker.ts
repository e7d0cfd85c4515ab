/** Makes room for an item that has to run alone, because it may have killed another daemon. */
import type { Alone, ClaimedWork } from '../../store/work/work.ts';
import type { ServiceBase } from '../parts/service-base.ts';
import type { Backlog } from './backlog.ts';
import type { RunningFocus } from './focus-lease.ts';

export interface RoomMaker {
  /** After each claim: why the daemon must run one item alone, and what it has claimed. */
  heed(alone: Alone | null, work: readonly ClaimedWork[]): void;
  /** How long until the next claim, in milliseconds; infinite when nothing has to run alone. */
  nextLookMs(): number;
}

interface FullDaemon extends Pick<ServiceBase, 'clock' | 'log'> {
  readonly running: ReadonlyMap<string, RunningFocus>;
  readonly backlog: Backlog;
}

/** How often a claim asks whether it is over. */
const LOOK_MS = 250;
/** How long foci may run to their end before they are released at their next turn, to go on afterwards. */
const PATIENCE_MS = 10_000;

/** While it makes room, the daemon gives back what waits for a slot, and after a while releases what runs. */
export function createRoomMaker({ clock, log, running, backlog }: FullDaemon): RoomMaker {
  let alone: Alone | null = null;
  let sinceMs: number | null = null;

  function makeRoom(): void {
    if (sinceMs === null) {
      sinceMs = clock.monotonicMs();
      log.info(
        { foci: running.size },
        'claiming nothing for a while: work that may have killed a daemon runs alone next',
      );
    }
    backlog.giveBack(() => true);
    if (clock.monotonicMs() - sinceMs < PATIENCE_MS) return;
    for (const { control } of running.values()) control.drainSoon();
  }

  return {
    heed(now, work) {
      alone = now;
      if (alone === 'clears') {
        makeRoom();
        return;
      }
      sinceMs = null;
      const item = work.at(-1);
      if (alone === null || item === undefined) return;
      log.warn(
        { work_item_id: item.id, faculty: item.faculty },
        'running this work alone: a daemon died while running it, perhaps because of it',
      );
    },
    nextLookMs: () => (alone !== null ? LOOK_MS : Number.POSITIVE_INFINITY),
  };
}
