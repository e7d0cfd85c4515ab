/** Follows one answer: what is recorded of it, exactly once and in order, and its text as it arrives. */
import { AnimusError } from '../../../core/errors/errors.ts';
import { systemClock } from '../../../core/lifecycle/clock.ts';
import type { Wake } from '../../../core/lifecycle/wake.ts';
import { isTerminal, type WorkState } from '../../../core/work/work.ts';
import { BEGINNING, type Position } from '../../../store/events/position.ts';
import { readPages } from '../../../store/events/read-events.ts';
import type { Database } from '../../../store/sql/database.ts';
import type { LivePiece } from '../../../store/transcript/live-text.ts';
import { createLiveOutput } from './live-output.ts';
import { createLiveText, type Shown } from './live-text.ts';
import type { News } from './news.ts';

/** What was read of an answer. It outlives a lost connection, so that reading goes on where it was. */
export interface FollowedAnswer {
  readonly workItemId: string;
  /** Takes a piece of its text, or of what its code prints. Returns whether something before it is missing. */
  piece(piece: LivePiece): boolean;
  /** Reads on until the answer has ended (true) or the signal aborts (false). Errors: `work.not_found`, `db.*`. */
  follow(db: Database, means: FollowMeans): Promise<boolean>;
}

export interface FollowMeans {
  readonly news: News;
  readonly wake: Wake;
  readonly signal: AbortSignal;
}

export interface AnswerHandlers {
  show(shown: Shown): void;
  /** Called whenever everything that is recorded was shown, and at least twice a second. */
  present(state: WorkState, db: Database): Promise<void> | void;
}

/** Most changes are notified; the rest, and the embedded database, is polled. */
const LOOK_EVERY_MS = 500;
const WATCH_AGAIN_MS = 300_000;

export function createFollowedAnswer(workItemId: string, handlers: AnswerHandlers): FollowedAnswer {
  let position: Position = BEGINNING;
  const live = createLiveText();
  const printed = createLiveOutput();
  let wake: Wake | null = null;
  const showAll = (all: readonly Shown[]) => {
    for (const shown of all) handlers.show(shown);
  };

  async function readAll(db: Database): Promise<WorkState> {
    for (;;) {
      const [page] = await readPages(db, [{ id: workItemId, from: position }]);
      if (!page) throw new AnimusError('work.not_found', { id: workItemId, detail: `no work item ${workItemId}` });
      for (const { event } of page.events) {
        showAll(live.recorded(event));
        printed.recorded(event);
      }
      position = page.position;
      if (!page.more) return page.state;
    }
  }

  return {
    workItemId,
    piece(piece) {
      showAll('output' in piece ? printed.piece(piece) : live.piece(piece));
      // What was recorded before it is shown first.
      if (live.waits || printed.waits) wake?.ring();
      return live.gap;
    },
    async follow(db, means) {
      wake = means.wake;
      let watchAtMs = 0;
      while (!means.signal.aborted) {
        if (systemClock.monotonicMs() >= watchAtMs) {
          await means.news.watchAnswer(workItemId);
          watchAtMs = systemClock.monotonicMs() + WATCH_AGAIN_MS;
        }
        const state = await readAll(db);
        showAll(live.settled());
        showAll(printed.settled());
        if (isTerminal(state)) return true;
        await handlers.present(state, db);
        await wake.wait(LOOK_EVERY_MS, means.signal);
      }
      return false;
    },
  };
}
