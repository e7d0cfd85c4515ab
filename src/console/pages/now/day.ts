/** Activity by hour, as charts show it. */
import type { Activity } from '../../../client/client.ts';

type Values = readonly (number | null)[];

interface Day {
  /** Seconds since 1970. */
  readonly x: readonly number[];
  readonly completed: Values;
  readonly dead: Values;
  readonly cancelled: Values;
  readonly usd: Values;
  readonly p50: Values;
  readonly p95: Values;
  readonly totals: {
    readonly submitted: number;
    readonly completed: number;
    readonly dead: number;
    readonly usd: number;
  };
}

export function dayOf(rows: readonly Activity[]): Day {
  const sum = (name: 'submitted' | 'completed' | 'dead' | 'usd') => rows.reduce((total, row) => total + row[name], 0);
  return {
    x: rows.map(({ at }) => Date.parse(at) / 1000),
    completed: rows.map(({ completed }) => completed),
    dead: rows.map(({ dead }) => dead),
    cancelled: rows.map(({ cancelled }) => cancelled),
    usd: rows.map(({ usd }) => usd),
    p50: rows.map(({ p50_seconds }) => p50_seconds),
    p95: rows.map(({ p95_seconds }) => p95_seconds),
    totals: { submitted: sum('submitted'), completed: sum('completed'), dead: sum('dead'), usd: sum('usd') },
  };
}
