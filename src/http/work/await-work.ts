/** Waits for the end of a work item, or until it waits for a person. */
import { messageOf } from '../../core/errors/errors.ts';
import { waitsForPerson } from '../../core/work/waiting.ts';
import { isTerminal } from '../../core/work/work.ts';
import { readWork } from '../../operations/read-work.ts';
import type { WorkItem } from '../../operations/work-rows.ts';
import { followItem } from '../events/follow-item.ts';
import type { Frame } from '../events/frame.ts';
import { readingAs } from '../login/visitor.ts';
import type { Visit } from '../route/route.ts';
import { visitorEyes } from '../route/visitor-eyes.ts';

/** What became of an item. */
export interface Awaited {
  /** The item, when it was looked at last; null: it could not be looked at. */
  readonly own: WorkItem | null;
  /** What has ended: the item, or the one that it was merged into, if the visitor may see it. Null: it has not ended. */
  readonly ended: WorkItem | null;
}

/**
 * Returns when the item has ended or waits for a person, after `seconds`, when the client leaves or the server ends, or when nobody can look any more.
 * Between its looks it holds no connection to the database. It never rejects: what the request did is done.
 */
export async function awaitWork(visit: Visit, id: string, seconds: number): Promise<Awaited> {
  let own: WorkItem | null = null;
  let ended: WorkItem | null = null;
  await within(visit, seconds, async (until) => {
    for (let next: string | null = id; next !== null; ) {
      const item = await lastOf(visit, next, until);
      own ??= item;
      if (!isTerminal(item.state)) break;
      ended = item;
      next = item.merged_into;
    }
  }).catch((error: unknown) => {
    visit.services.log.debug({ error: messageOf(error) }, 'a request stopped waiting for its work');
  });
  return { own, ended };
}

/** Runs it with a signal that aborts after that time, or when the client leaves. Errors: its own. */
export async function within<T>(
  { signal, services: { clock } }: Visit,
  seconds: number,
  act: (until: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  const timer = clock.sleep(seconds * 1000, until).then(() => over.abort());
  try {
    return await act(until);
  } finally {
    over.abort();
    await timer;
  }
}

/** The item when it has ended or waits for a person, or `until` aborts. Errors: `work.not_found`, those of reading. */
export async function lastOf(
  visit: Visit,
  id: string,
  until: AbortSignal,
  report: (frame: Frame) => void = () => undefined,
): Promise<WorkItem> {
  const look = () => readingAs(visit.services.db, visit.visitor, (tx) => readWork(tx, id));
  const before = await look();
  if (isOver(before) || until.aborted) return before;
  const live = await visit.services.live.services();
  // It ends with the item.
  for await (const frames of followItem(live, visitorEyes(visit), { kind: 'work', id }, null, until)) {
    for (const frame of frames) report(frame);
    if (!frames.some(({ type, id: recorded }) => type === 'state' && recorded === null)) continue;
    const now = await look();
    if (isOver(now)) return now;
  }
  return look();
}

/** Nothing more happens without a person. */
function isOver({ state, waiting }: WorkItem): boolean {
  return isTerminal(state) || waitsForPerson(waiting);
}
