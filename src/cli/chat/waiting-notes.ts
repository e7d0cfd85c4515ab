/** Says on stderr what an answer is waiting for, while a command waits for the answer. */
import { isAnimusError } from '../../core/errors/errors.ts';
import { systemClock } from '../../core/lifecycle/clock.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { workFollower } from '../../store/views/followed-work.ts';
import type { Output } from '../view/output.ts';
import { shortId } from '../view/quantities.ts';
import { titleOf } from '../work/show-asked.ts';
import { whyWaiting } from './follow/why-waiting.ts';

/** A wait that is over by then needs no note. */
const LOOK_EVERY_MS = 2000;

/** Returns what to call again and again: it looks every two seconds, and says each thing once. Errors: `db.*`. */
export async function waitingNotes(output: Output, db: Queryable, workItemId: string): Promise<() => Promise<void>> {
  const follower = await workFollower(db);
  const said = new Set<string>();
  let lookAtMs = systemClock.monotonicMs() + LOOK_EVERY_MS;
  const say = (what: string) => {
    if (!said.has(what)) output.note(what);
    said.add(what);
  };

  return async () => {
    if (systemClock.monotonicMs() < lookAtMs) return;
    lookAtMs = systemClock.monotonicMs() + LOOK_EVERY_MS;
    const item = await follower.item(workItemId).catch((error: unknown) => {
      if (isAnimusError(error, 'work.not_found')) return null;
      throw error;
    });
    if (item === null) return;
    const { state, faculty } = item;
    if (state === 'queued' || state === 'scheduled') say(await whyWaiting(db, state, faculty));
    if (state !== 'waiting') return;
    const asked = await follower.asked(workItemId);
    if (asked === null) say('the answer waits, perhaps for a decision of an operator');
    for (const one of asked ?? []) {
      say(
        `the answer waits for a decision: ${faculty} ${titleOf(one)}; see it and decide: animus inbox ${shortId(workItemId)}`,
      );
    }
  };
}
