/** The period that is shown: whole days of UTC, as spend is added up. */

/** `since` is its first day, `until` the day after its last one. */
export interface Period {
  readonly since: string;
  readonly until: string;
  /** The last so many days; null: the person has chosen the first and the last one. */
  readonly days: number | null;
}

export const DAY_MS = 86_400_000;
export const RANGES = [1, 7, 30, 90, 365] as const;
const USUAL_DAYS = 30;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** What the filters `from`, `to` (both within it) and `days` say; the last 30 days if they say nothing that can be read. */
export function periodOf(query: URLSearchParams, now: number): Period {
  const [from, to] = [dayOf(query.get('from')), dayOf(query.get('to'))];
  if (from !== null && to !== null && from <= to) {
    return { since: from, until: dayAfter(to, 1), days: null };
  }
  const asked = Number(query.get('days'));
  const days = RANGES.find((range) => range === asked) ?? USUAL_DAYS;
  const today = new Date(now).toISOString().slice(0, 10);
  return { since: dayAfter(today, 1 - days), until: dayAfter(today, 1), days };
}

function dayOf(text: string | null): string | null {
  if (text === null || !DATE.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text ? null : text;
}

export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** All days of it up to today, the first one first. */
export function daysOf({ since, until }: Period, now: number): readonly string[] {
  const end = Math.min(Date.parse(until), now);
  const days: string[] = [];
  for (let at = Date.parse(since); at < end; at += DAY_MS) days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}
