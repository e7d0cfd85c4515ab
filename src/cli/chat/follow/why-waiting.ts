/** Why an answer has not begun, or does not go on, and what to do about it. */
import { isAnimusError } from '../../../core/errors/errors.ts';
import type { WorkState } from '../../../core/work/work.ts';
import type { Queryable } from '../../../store/sql/database.ts';
import { ALL_FACULTIES, knownFaculties } from '../../../store/work/operate.ts';

/** In one line. Whoever may not see daemons and pauses gets the state. Errors: `db.*`. */
export async function whyWaiting(db: Queryable, state: WorkState, faculty: string): Promise<string> {
  if (state !== 'queued') return usualReason(state, faculty);
  const known = await knownFaculties(db).catch((error: unknown) => {
    if (isAnimusError(error, 'db.forbidden')) return null;
    throw error;
  });
  if (known === null) return 'the answer is queued';
  const { served, paused } = known;
  if (paused.includes(ALL_FACULTIES)) return 'all work is paused; to lift the pause: animus resume';
  if (paused.includes(faculty)) return `${faculty} is paused; to lift the pause: animus resume ${faculty}`;
  if (served.length === 0) return 'no daemon is running; start one in another terminal: animus serve';
  if (!served.includes(faculty)) return `no running daemon serves ${faculty}; to see why: animus status`;
  return 'the answer is queued: the daemons have no room, or the answer before it has not ended';
}

/** The usual reason for a state, without a look at daemons and pauses. */
export function usualReason(state: WorkState, faculty: string): string {
  if (state === 'running' || state === 'claimed') return `${faculty} is answering`;
  if (state === 'scheduled') return 'the answer is tried again in a while';
  return state === 'waiting' ? 'the answer waits' : 'the answer is queued';
}
