/** `animus work tail`: what happens on an item, live, and what has happened before. */
import type { Command } from 'commander';
import { systemClock } from '../../core/lifecycle/clock.ts';
import { isTerminal } from '../../core/work/work.ts';
import { createWake } from '../../daemon/control/wake.ts';
import { createTextFollower } from '../../engage/events/live-text.ts';
import { createReplay } from '../../engage/events/replay.ts';
import { openNotifications } from '../../store/postgres/notifications.ts';
import type { Database } from '../../store/sql/database.ts';
import { listenToTexts } from '../../store/transcript/live-text.ts';
import { readProgress, watchWork } from '../../store/transcript/progress.ts';
import { findWork, readWork } from '../../store/views/work-views.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from '../command/command.ts';
import { withDatabase } from '../command/database.ts';
import { createTailView, type TailView } from './tail-view.ts';
import { showOutcome } from './work-show.ts';

/** Adds `animus work tail`. */
export function addTailCommand(group: Command, run: RunCommand): void {
  addCommand(group, 'tail <id>', {
    summary: 'follow an item live to its end, beginning with what has happened; --json prints one event per line',
    examples: ['animus work tail 5b1f0c3de2a9', 'animus work tail 5b1f0c3de2a9 --json | jq -c select(.type=="ledger")'],
  }).action(run(tailCommand));
}

/** Ledger entries, texts and the end are announced; for the rest, and on the embedded database, it looks. */
const LOOK_EVERY_MS = 500;
/** Notifications are asked for an hour at a time. */
const WATCH_AGAIN_MS = 1_800_000;

async function tailCommand(invocation: Invocation, _options: CommonOptions, reference: string): Promise<number> {
  return withDatabase(invocation, async (db) => {
    const wake = createWake(systemClock);
    const notifications = openNotifications(db, ['animus_ledger', 'animus_work_done'], {
      onNotify: () => wake.ring(),
      onReconnect: () => wake.ring(),
    });
    await notifications.start();
    try {
      let id: string | null = await findWork(db, reference);
      let code = 0;
      while (id !== null) [id, code] = await follow(invocation, db, id, wake);
      return code;
    } finally {
      await notifications.stop();
    }
  });
}

/** Follows an item to its end: the exit code, or the item it merged into. */
async function follow(
  { output, context }: Invocation,
  db: Database,
  id: string,
  wake: ReturnType<typeof createWake>,
): Promise<readonly [mergedInto: string | null, exitCode: number]> {
  const { drain } = context.signals;
  const replay = createReplay();
  const answers = createTextFollower();
  let view: TailView | null = null;
  const texts = await listenToTexts(db, id, (piece) => {
    const events = answers.piece(piece);
    for (const event of events) view?.({ ...event, atMs: systemClock.nowMs() });
    // Perhaps of a turn that has just begun: look.
    if (events.length === 0) wake.ring();
  });
  try {
    let watchedAtMs = systemClock.monotonicMs();
    while (!drain.aborted) {
      if (systemClock.monotonicMs() - watchedAtMs > WATCH_AGAIN_MS) {
        watchedAtMs = systemClock.monotonicMs();
        await watchWork(db, id);
      }
      const progress = await readProgress(db, id, replay.cursor);
      view ??= createTailView(output, id, progress.faculty);
      for (const event of replay.take(progress)) {
        for (const one of answers.event(event)) view({ ...one, atMs: event.atMs });
      }
      if (progress.mergedInto !== null) {
        output.note(`${id} merged into ${progress.mergedInto}`);
        return [progress.mergedInto, 0];
      }
      if (isTerminal(progress.state)) {
        if (!output.json) showOutcome(output, await readWork(db, id));
        return [null, progress.state === 'completed' ? 0 : 1];
      }
      await wake.wait(LOOK_EVERY_MS, drain);
    }
    // withDatabase tells that it was interrupted.
    return [null, 130];
  } finally {
    await texts.stop();
  }
}
