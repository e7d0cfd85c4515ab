/** Why work waits, in a hint: its times as texts. */
import type { Waiting } from './waiting.ts';

export function shownWaiting<Fields extends Pick<Waiting<number | Date>, 'since' | 'until'>>(
  waiting: Fields,
): Omit<Fields, 'since' | 'until'> & { readonly since: string; readonly until: string | null } {
  const { since, until } = waiting;
  return { ...waiting, since: text(since), until: until === null ? null : text(until) };
}

const text = (time: number | Date) => new Date(time).toISOString();
