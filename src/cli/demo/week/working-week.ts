/** When work comes: most of it in working hours, little at night and at the weekend. */
import type { Random } from './random.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const WEEK_MS = 7 * DAY_MS;

/** How much comes in each hour of a working day, from midnight, by the clock of this machine. */
const WORKING_DAY = [1, 1, 2, 1, 1, 1, 3, 8, 22, 34, 38, 33, 18, 27, 36, 35, 30, 22, 11, 7, 5, 4, 3, 2];
const WEEKEND_SHARE = 0.12;

/** How much comes at a time, compared with the others. */
export function activityAt(atMs: number): number {
  const time = new Date(atMs);
  const isWeekend = time.getDay() === 0 || time.getDay() === 6;
  return WORKING_DAY[time.getHours()]! * (isWeekend ? WEEKEND_SHARE : 1);
}

/** So many times of the week that ends at `endMs`, the earliest first, in milliseconds since 1970. */
export function timesOfWeek(count: number, endMs: number, random: Random): readonly number[] {
  const times: number[] = [];
  const most = Math.max(...WORKING_DAY);
  while (times.length < count) {
    const at = Math.floor(endMs - random.next() * WEEK_MS);
    if (random.next() * most < activityAt(at)) times.push(at);
  }
  return times.sort((one, other) => one - other);
}
