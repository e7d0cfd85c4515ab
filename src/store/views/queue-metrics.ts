/** The metrics of animus's queues, from pgmq. */
import { isAnimusError } from '../../core/errors/errors.ts';
import type { Queryable } from '../sql/database.ts';
import { isMissingObject } from '../sql/database-errors.ts';
import { openPgmq } from '../sql/pgmq.ts';
import { QUEUES } from '../work/queue-names.ts';

/** One queue. Its names are those of a row for programs (docs/cli.md). */
export interface QueueMetrics {
  readonly queue: string;
  /** Messages in the queue, including those that were read and not yet archived. */
  readonly messages: number;
  /** How long ago the oldest and the newest of them were sent; null for an empty queue. */
  readonly oldest_age_seconds: number | null;
  readonly newest_age_seconds: number | null;
  /** Sent since the queue exists. */
  readonly sent: number;
}

/**
 * The queues that exist and that the role may read, by `pgmq.metrics`. It counts all messages of a queue: for occasional
 * use, not for polling. Errors: those of the connection.
 */
export async function queueMetrics(db: Queryable): Promise<QueueMetrics[]> {
  const pgmq = await openPgmq(db);
  const found: QueueMetrics[] = [];
  for (const name of Object.values(QUEUES)) {
    try {
      const { queueName, queueLength, oldestMsgAgeSec, newestMsgAgeSec, totalMessages } =
        await pgmq.queue.getMetrics(name);
      found.push({
        queue: queueName,
        messages: queueLength,
        oldest_age_seconds: oldestMsgAgeSec ?? null,
        newest_age_seconds: newestMsgAgeSec ?? null,
        sent: totalMessages,
      });
    } catch (error) {
      // pgmq is not installed, or does not have this queue.
      if (!isAnimusError(error, 'db.forbidden') && !isMissingObject(error)) throw error;
    }
  }
  return found;
}
