/** Why an item does not go on now. The words and the sentences come from `animus.why_waiting`; docs/states.md explains each reason. */

export const WAITING_REASONS = [
  'all_paused',
  'paused',
  'no_daemon',
  'unserved',
  'message',
  'key',
  'provider',
  'faulty',
  'alone',
  'capacity',
  'host',
  'next',
  'not_before',
  'retry',
  'released',
  'approval',
  'question',
  'budget',
  'children',
  'batch',
  'timer',
] as const;
export type WaitingReason = (typeof WAITING_REASONS)[number];

/** The answer to "why not now?", as everybody gets it who may see the item. `Time` is a Date, or a text where it was sent. */
export interface Waiting<Time = Date> {
  readonly reason: WaitingReason;
  /** A sentence without its end, such as `writer is paused by olga`. */
  readonly why: string;
  /** What ends it, such as `an operator resumes writer`, and what happens at `until` if that has not: `an operator decides; otherwise it is denied at the deadline`. */
  readonly ends: string;
  readonly since: Time;
  /** When it ends by itself at the latest; null: never, or nobody knows. */
  readonly until: Time | null;
  /** Who paused it, or `operator`, who decides; null: nobody. */
  readonly who: string | null;
  /** What goes first or is awaited, of what the reader may see; at most 20. */
  readonly work_items: string[];
}

/** Whether a person has to do something first. */
export function waitsForPerson(waiting: Pick<Waiting, 'reason'> | null): boolean {
  return waiting !== null && ['approval', 'question', 'budget'].includes(waiting.reason);
}

/** Why work waits, in a hint: its times as texts. */
export function shownWaiting<Fields extends Pick<Waiting<number | Date>, 'since' | 'until'>>(
  waiting: Fields,
): Omit<Fields, 'since' | 'until'> & { readonly since: string; readonly until: string | null } {
  const { since, until } = waiting;
  return { ...waiting, since: text(since), until: until === null ? null : text(until) };
}

const text = (time: number | Date) => new Date(time).toISOString();
