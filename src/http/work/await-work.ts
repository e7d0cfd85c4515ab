/** Waits for the end of a work item. */
import { messageOf } from '../../core/errors/errors.ts';
import { isTerminal } from '../../core/work/work.ts';
import { readVisibleWork, type VisibleWork } from '../../store/views/visible/visible-work.ts';
import { followItem } from '../events/follow-item.ts';
import { asVisitor } from '../login/visitor.ts';
import type { Visit } from '../route/route.ts';
import { visitorEyes } from '../route/visitor-eyes.ts';

/**
 * Returns the item when it has ended: of one that was merged into another, that one, if the visitor may see it. Null if it has not ended after
 * `seconds`, or the client leaves, or the server ends, or nobody can look any more. Between its looks it holds no connection to the database. It
 * never rejects: what the request did is done.
 */
export async function awaitWork(visit: Visit, id: string, seconds: number): Promise<VisibleWork | null> {
  const { clock, log } = visit.means;
  const over = new AbortController();
  const until = AbortSignal.any([visit.signal, over.signal]);
  const timer = clock.sleep(seconds * 1000, until).then(() => over.abort());
  let ended: VisibleWork | null = null;
  try {
    for (let next: string | null = id; next !== null; ) {
      const item = await endOf(visit, next, until);
      if (item === null) return ended;
      ended = item;
      next = item.merged_into;
    }
    return ended;
  } catch (error) {
    log.debug({ error: messageOf(error) }, 'a request stopped waiting for its work');
    return ended;
  } finally {
    over.abort();
    await timer;
  }
}

/** Errors: `work.not_found`, those of reading. */
async function endOf(visit: Visit, id: string, until: AbortSignal): Promise<VisibleWork | null> {
  const look = async () => {
    const item = await asVisitor(visit.means.db, visit.visitor, (tx) => readVisibleWork(tx, id));
    return isTerminal(item.state) ? item : null;
  };
  const before = await look();
  if (before !== null || until.aborted) return before;
  const live = await visit.means.live.means();
  // It ends with the item.
  for await (const _ of followItem(live, visitorEyes(visit), { kind: 'work', id }, null, until));
  return look();
}
