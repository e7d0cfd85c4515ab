/** Polls the database for the gauges of the queue; runs only when metrics are exported. */
import { messageOf } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import { createLoop } from '../../core/lifecycle/loop.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { readQueueStatus } from '../../store/views/status-view.ts';
import type { Log } from '../../telemetry/log.ts';
import { gauge } from '../../telemetry/metrics.ts';

/** Half the interval at which OpenTelemetry exports metrics by default. */
const INTERVAL_MS = 30_000;

/** Sets `work.queue.depth`, `work.queue.oldest_age`, `work.unroutable` and `work.skills.stale` every 30 s, one cheap call each time. */
export function createQueueMetrics(db: Queryable, clock: Clock, log: Log): Service {
  // A gauge keeps its last value: a faculty whose queue has emptied is set to 0 once.
  let known = new Set<string>();
  return createLoop(async (stopping) => {
    while (!stopping.aborted) {
      try {
        known = await measure(db, known);
      } catch (error) {
        log.debug({ error: messageOf(error) }, 'could not read the queue for its metrics');
      }
      await clock.sleep(INTERVAL_MS, stopping);
    }
  });
}

/** Sets the gauges of every faculty that has or had queued work; returns the faculties that have some now. */
export async function measure(db: Queryable, known: ReadonlySet<string>): Promise<Set<string>> {
  const { at, queue, stale_skills: stale } = await readQueueStatus(db);
  gauge('work.skills.stale', stale.count, {});
  const rows = new Map(queue.map((row) => [row.faculty, row]));
  for (const faculty of new Set([...known, ...rows.keys()])) {
    const row = rows.get(faculty);
    const ageMs = row?.oldest_at ? Date.parse(at) - Date.parse(row.oldest_at) : 0;
    gauge('work.queue.depth', row?.queued ?? 0, { faculty });
    gauge('work.queue.oldest_age', Math.max(0, ageMs) / 1000, { faculty });
    gauge('work.unroutable', row && !row.routable ? row.queued : 0, { faculty });
  }
  return new Set(rows.keys());
}
