/** Entries of the feed of one item, for tests of what shows them. */
import type { WorkEvent } from '../../../src/store/events/event.ts';
import type { FeedEntry } from '../../../src/store/events/live/feed.ts';
import { BEGINNING } from '../../../src/store/events/position.ts';

/** A recorded event. What shows it does not look at its position. */
export function recorded(event: WorkEvent): FeedEntry {
  return { placed: { event, step: { part: 'created' }, after: BEGINNING } };
}
