/** Which watched things the changes and texts of a work item belong to: itself, and the conversation that it answers in. */
import type { WatchedItem } from './watched-item.ts';

export function createAnswers() {
  const watchedOf = new Map<string, Set<WatchedItem>>();
  const idsOf = new Map<WatchedItem, ReadonlySet<string>>();
  return {
    /** Everything to which the item belongs. */
    of: (workItemId: string): readonly WatchedItem[] => [...(watchedOf.get(workItemId) ?? [])],
    /** Sets which items belong to it; `begun` are those that did not before, `over` those that do not any more. */
    set(watched: WatchedItem, ids: readonly string[]) {
      const before = idsOf.get(watched) ?? new Set();
      const now = new Set(ids);
      const begun = [...now].filter((id) => !before.has(id));
      const over = [...before].filter((id) => !now.has(id));
      for (const id of begun) watchedOf.set(id, (watchedOf.get(id) ?? new Set()).add(watched));
      for (const id of over) {
        const rest = watchedOf.get(id);
        rest?.delete(watched);
        if (rest?.size === 0) watchedOf.delete(id);
      }
      if (now.size === 0) idsOf.delete(watched);
      else idsOf.set(watched, now);
      return { begun, over };
    },
    ids: () => watchedOf.keys(),
  };
}
