/** Waits for the end of a work item. */
import { messageOf } from '../../core/errors/errors.ts';
import { isTerminal } from '../../core/work/work.ts';
import { readVisibleWork, type VisibleWork } from '../../store/views/visible/visible-work.ts';
import { followItem } from '../events/follow-item.ts';
import { asVisitor } from '../login/visitor.ts';
import type { Visit } from '../route/route.ts';
import { visitorEyes } from '../route/visitor-eyes.ts';

/** What became of an item. */
export interface Awaited {
  /** The item, when it was looked at last; null: it could not be looked at. */
  readonly own: VisibleWork | null;
  /** What has ended: the item, or the one that it was merged into, if the visitor may see it. Null: it has not ended. */
  readonly ended: VisibleWork | null;
}

/**
 * Returns when the item has ended, after `seconds`, when the client leaves or the server ends, or when nobody can look any more. Between its looks
 * it holds no connection to the database. It never rejects: what the request did is done.
 */
export async function awaitWork(visit: Visit, id: string, seconds: number): Promise<Awaited> {
  const { clock, log } = visit.means;
  const over = new AbortController();
  const until = AbortSignal.any([visit.signal, over.signal]);
  const timer = clock.sleep(seconds * 1000, until).then(() => over.abort());
  let own: VisibleWork | null = null;
  let ended: VisibleWork | null = null;
  try {
    for (let next: string | null = id; next !== null; ) {
      const item = await lastOf(visit, next, until);
      own ??= item;
      if (!isTerminal(item.state)) break;
      ended = item;
      next = item.merged_into;
    }
  } catch (error) {
    log.debug({ error: messageOf(error) }, 'a request stopped waiting for its work');
  } finally {
    over.abort();
    await timer;
  }
  return { own, ended };
}

/** The item when it has ended, or `until` aborts. Errors: `work.not_found`, those of reading. */
async function lastOf(visit: Visit, id: string, until: AbortSignal): Promise<VisibleWork> {
  const look = () => asVisitor(visit.means.db, visit.visitor, (tx) => readVisibleWork(tx, id));
  const before = await look();
  if (isTerminal(before.state) || until.aborted) return before;
  const live = await visit.means.live.means();
  // It ends with the item.
  for await (const _ of followItem(live, visitorEyes(visit), { kind: 'work', id }, null, until));
  return look();
}
