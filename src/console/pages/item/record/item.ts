/** What can be said of an item at once. */
import type { WorkItem, WorkState } from '../../../../client/client.ts';

const ENDED: ReadonlySet<WorkState> = new Set(['completed', 'dead', 'merged', 'cancelled']);
const MOST_TITLE_CHARS = 160;

/** It has not ended. */
export function isOpen(state: WorkState): boolean {
  return !ENDED.has(state);
}

/** It waits for its turn, and can still be changed. */
export function isBeforeClaim(state: WorkState): boolean {
  return state === 'queued' || state === 'scheduled';
}

/** The first line of its description; its id if it has none. */
export function titleOf({ description, id }: Pick<WorkItem, 'description' | 'id'>): string {
  const line = description
    .trimStart()
    .slice(0, MOST_TITLE_CHARS * 2)
    .split('\n', 1)[0]!
    .trim();
  if (line === '') return id;
  return line.length > MOST_TITLE_CHARS ? `${line.slice(0, MOST_TITLE_CHARS)}…` : line;
}

/** From its submission or first focus to its end; null: it has not ended. */
export function lastedMs({ created_at, resolved_at }: Pick<WorkItem, 'created_at' | 'resolved_at'>): number | null {
  return resolved_at === null ? null : Date.parse(resolved_at) - Date.parse(created_at);
}
