/** All branches of a conversation, from its events: which versions a message has, and what was said after each. */
import type { ChatEvent } from '../../../client/client.ts';
import { type Message, saidMessage } from './conversation.ts';

export interface Branches {
  /** Versions of the message, in the order in which they were said; one: it was never edited nor asked again. */
  versionsOf(id: string): readonly string[];
  /** The branch that ends with the newest message after this one, and contains it: all of its messages and answers in order. */
  branchOf(id: string): readonly Message[];
}

interface Said {
  readonly message: Message;
  /** The message of a person before it. */
  readonly after: string | null;
}

/** Deleted messages are left out, with their versions. */
export function branchesOf(events: readonly ChatEvent[]): Branches {
  const said = new Map<string, Said>();
  const told = new Map<string, Message[]>();
  const answers = new Map<string, Message>();
  for (const event of events) {
    if (event.type === 'deleted') {
      said.delete(event.message_id);
      for (const [item, answer] of answers) if (answer.id === event.message_id) answers.delete(item);
    }
    if (event.type !== 'said' && event.type !== 'answered') continue;
    const message = saidMessage(event);
    if (message === null) continue;
    if (event.type === 'answered' || message.role === 'assistant') answers.set(message.item ?? message.id, message);
    else if (event.told) told.set(message.item ?? '', [...(told.get(message.item ?? '') ?? []), message]);
    else said.set(message.id, { message, after: event.after });
  }
  const next = new Map<string | null, string[]>();
  for (const [id, { after }] of said) next.set(after, [...(next.get(after) ?? []), id]);

  /** Down to the newest: of several versions, the last one. */
  function newestBelow(id: string): string {
    let at = id;
    for (let below = next.get(at); below !== undefined; below = next.get(at)) at = below.at(-1)!;
    return at;
  }
  function upFrom(id: string): readonly Said[] {
    const path: Said[] = [];
    for (let at = said.get(id); at !== undefined; at = said.get(at.after ?? '')) path.push(at);
    return path.toReversed();
  }
  return {
    versionsOf: (id) => next.get(said.get(id)?.after ?? null)?.filter(() => said.has(id)) ?? [],
    branchOf: (id) =>
      upFrom(newestBelow(id)).flatMap(({ message }) => {
        const answer = answers.get(message.item ?? '');
        return [message, ...(told.get(message.item ?? '') ?? []), ...(answer === undefined ? [] : [answer])];
      }),
  };
}
