/** When a schedule runs next, as people read it. */
import { styled } from './output.ts';
import type { Part } from './part.ts';
import { age, shortId } from './quantities.ts';

interface ShownSchedule {
  readonly paused: boolean;
  readonly next_at: Date | string | null;
  readonly overlap: 'allow' | 'skip' | 'queue';
  readonly open_item: string | null;
}

/** `in 3 min`, or `after 6b8cb549703c` of a run that is due and queued behind that item. Null: not computed yet. */
export function nextRun({ paused, next_at: next, overlap, open_item: open }: ShownSchedule, now: number): Part | null {
  if (paused) return styled('paused', 'yellow');
  if (next === null) return null;
  const waits = overlap === 'queue' && open !== null && new Date(next).getTime() <= now;
  return waits ? styled(`after ${shortId(open)}`, 'yellow') : age(next, now);
}
