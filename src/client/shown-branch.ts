/** Which answers a conversation shows: those on the branch of its newest message that were not deleted. */
import type { ChatEvent, WorkEvent } from './api/api.ts';

interface Said {
  /** The message of a person before it on its branch. */
  readonly after: string | null;
  readonly item: string | null;
}

export interface ShownBranch {
  /** Returns the items whose answers were shown before this event and are not now, or the other way round. */
  take(event: ChatEvent | WorkEvent): readonly string[];
  shows(item: string): boolean;
}

/** All is shown whose message is not known: work outside of conversations, and answers to messages from before the first event. */
export function createShownBranch(): ShownBranch {
  const messages = new Map<string, Said>();
  /** The newest answer of each item, as a message. */
  const answers = new Map<string, string>();
  const offBranch = new Set<string>();
  const deleted = new Set<string>();
  const shows = (item: string) => !offBranch.has(item) && !deleted.has(item);

  /** From the newest message up to the first one that is known. */
  function branchOf(newest: string): ReadonlySet<string | null> {
    const items = new Set<string | null>();
    for (let at = messages.get(newest); at !== undefined; at = messages.get(at.after ?? '')) items.add(at.item);
    return items;
  }
  function branch(newest: string): string[] {
    const items = branchOf(newest);
    const changed: string[] = [];
    for (const { item } of messages.values()) {
      if (item === null || items.has(item) !== offBranch.has(item)) continue;
      if (items.has(item)) offBranch.delete(item);
      else offBranch.add(item);
      if (!deleted.has(item)) changed.push(item);
    }
    return changed;
  }
  function take(event: ChatEvent | WorkEvent): readonly string[] {
    if (event.type === 'said' && event.role === 'user' && !event.told) {
      messages.set(event.message_id, { after: event.after, item: event.work_item_id });
      return event.replaces === null ? [] : branch(event.message_id);
    }
    const item = 'work_item_id' in event ? event.work_item_id : null;
    if (item === null) return [];
    if (event.type === 'answered') answers.set(item, event.message_id);
    if (event.type === 'retried' || (event.type === 'answered' && event.text !== null)) deleted.delete(item);
    // Of one that is deleted, a later reader gets no text.
    else if (event.type === 'answered' || (event.type === 'deleted' && answers.get(item) === event.message_id)) {
      if (deleted.has(item)) return [];
      deleted.add(item);
      return offBranch.has(item) ? [] : [item];
    }
    return [];
  }
  return { take, shows };
}
