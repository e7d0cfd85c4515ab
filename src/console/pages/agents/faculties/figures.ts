/** What the newest work that ended says about a faculty. */
import type { WorkSummary } from '../../../../client/client.ts';
import { quantile } from './known.ts';

interface Spread {
  /** The half is below; null: nobody knows. */
  readonly p50: number | null;
  readonly p95: number | null;
}

export interface Figures {
  readonly ended: number;
  readonly completed: number;
  /** From the submission, in milliseconds. */
  readonly time: Spread;
  /** Of those whose cost is known. */
  readonly cost: Spread;
}

export function figuresOf(
  items: readonly Pick<WorkSummary, 'state' | 'created_at' | 'run_at' | 'resolved_at' | 'cost_usd'>[],
): Figures {
  const times = items.flatMap(({ resolved_at, created_at, run_at }) => {
    // Work that was to begin later has not waited for anything before.
    const begin = Math.max(Date.parse(created_at), run_at === null ? 0 : Date.parse(run_at));
    return resolved_at === null ? [] : [Math.max(0, Date.parse(resolved_at) - begin)];
  });
  const costs = items.flatMap(({ cost_usd }) => cost_usd ?? []);
  return {
    ended: items.length,
    completed: items.filter(({ state }) => state === 'completed').length,
    time: { p50: quantile(times, 0.5), p95: quantile(times, 0.95) },
    cost: { p50: quantile(costs, 0.5), p95: quantile(costs, 0.95) },
  };
}
