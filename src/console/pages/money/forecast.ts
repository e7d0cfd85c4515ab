/** What this month will have cost: what it has cost so far, and for the rest of it the average of the last whole days. */
import { DAY_MS, dayAfter } from './period.ts';

export interface DaySpend {
  readonly day: string | null;
  readonly usd: number | null;
}

export interface Forecast {
  /** The first day of the month. */
  readonly month: string;
  readonly soFar: number;
  /** Of a whole day; null: there is none yet. */
  readonly perDay: number | null;
  /** From how many whole days. */
  readonly days: number;
  /** Until its end, in days. */
  readonly daysLeft: number;
  /** Null: nobody can say. */
  readonly atEnd: number | null;
}

export const AVERAGED_DAYS = 7;

/** The first day that `forecastOf` needs. */
export function forecastSince(now: number): string {
  const today = new Date(now).toISOString().slice(0, 10);
  const first = `${today.slice(0, 7)}-01`;
  const averaged = dayAfter(today, -AVERAGED_DAYS);
  return averaged < first ? averaged : first;
}

/** Days before the first one with spend are not averaged: then nothing ran yet. */
export function forecastOf(rows: readonly DaySpend[], now: number): Forecast {
  const today = new Date(now).toISOString().slice(0, 10);
  const month = `${today.slice(0, 7)}-01`;
  const spent = new Map(rows.flatMap(({ day, usd }) => (day === null || usd === null ? [] : [[day, usd]])));
  const sumFrom = (from: string, before: string) =>
    [...spent].reduce((sum, [day, usd]) => (day >= from && day < before ? sum + usd : sum), 0);
  const begun = [...spent.keys()].toSorted()[0] ?? today;
  const from = [dayAfter(today, -AVERAGED_DAYS), begun].toSorted()[1] ?? today;
  const days = Math.max(0, Math.round((Date.parse(today) - Date.parse(from)) / DAY_MS));
  const perDay = days === 0 ? null : sumFrom(from, today) / days;
  const soFar = sumFrom(month, dayAfter(today, 1));
  const daysLeft = (endOfMonth(month) - now) / DAY_MS;
  return { month, soFar, perDay, days, daysLeft, atEnd: perDay === null ? null : soFar + perDay * daysLeft };
}

function endOfMonth(month: string): number {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return Date.UTC(year, number, 1);
}
